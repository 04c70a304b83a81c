//! Valid formulas of each theory: their negations are unsat, for a reason that touches just that theory.

use super::generate::{Generator, conjunction};
use super::tree::{Node, Shape, Sort};

fn implies(premise: Node, conclusion: Node) -> Node {
    Node::bool("=>", [premise, conclusion])
}

fn ite(test: Node, yes: Node, no: Node) -> Node {
    Node::new(yes.sort.clone(), "ite", [test, yes, no])
}

fn int(head: &str, args: impl Into<Vec<Node>>) -> Node {
    Node::new(Sort::Int, head, args)
}

fn numeral(value: u64) -> Node {
    Node::leaf(Sort::Int, value.to_string())
}

impl Generator {
    /// A valid formula about what the family is about, where it has the sorts for one.
    pub fn law(&mut self) -> Node {
        let about = self.rng.below(6);
        let law = match about {
            0 => self.law_of_arrays(),
            1 => self.law_of_functions(),
            2 => self.law_of_numbers(),
            3 => self.law_of_conversions(),
            4 => self.law_of_data(),
            _ => self.law_of_quantifiers(),
        };
        law.unwrap_or_else(|| {
            let arg = self.term(&Sort::Bool, 1);
            Node::bool("or", [arg.clone(), arg.not()])
        })
    }

    fn law_of_arrays(&mut self) -> Option<Node> {
        let sort = self.sort_where(|sort| matches!(sort, Sort::Array(..)))?;
        let Sort::Array(index, element) = &sort else {
            return None;
        };
        let [a, b] = [(); 2].map(|()| self.term(&sort, 1));
        let [i, j] = [(); 2].map(|()| self.term(index, 1));
        let [u, v] = [(); 2].map(|()| self.term(element, 1));
        let select =
            |a: &Node, i: &Node| Node::new((**element).clone(), "select", [a.clone(), i.clone()]);
        let store = |a: &Node, i: &Node, v: &Node| {
            Node::new(sort.clone(), "store", [a.clone(), i.clone(), v.clone()])
        };
        let same_index = i.clone().equals(j.clone());
        Some(match self.rng.below(7) {
            0 => {
                let expected = ite(same_index, v.clone(), select(&a, &j));
                select(&store(&a, &i, &v), &j).equals(expected)
            }
            1 => {
                let one_way = store(&store(&a, &i, &u), &j, &v);
                let other_way = store(&store(&a, &j, &v), &i, &u);
                Node::bool("or", [same_index, one_way.equals(other_way)])
            }
            2 => implies(
                a.clone().equals(b.clone()),
                select(&a, &i).equals(select(&b, &i)),
            ),
            3 => store(&a, &i, &select(&a, &i)).equals(a),
            4 => {
                let filled = Node::new(sort.clone(), format!("(as const {sort})"), [u.clone()]);
                select(&filled, &i).equals(u)
            }
            5 => {
                let twice = store(&store(&a, &i, &u), &i, &v);
                twice.equals(store(&a, &i, &v))
            }
            _ => {
                let same = store(&a, &i, &u).equals(store(&b, &i, &u));
                let elsewhere =
                    Node::bool("or", [same_index, select(&a, &j).equals(select(&b, &j))]);
                implies(same, elsewhere)
            }
        })
    }

    fn law_of_functions(&mut self) -> Option<Node> {
        let sort = self.some_sort();
        let result = self.some_sort();
        let left = self.application(&result, 1)?;
        // Another argument in the first place, which is equal.
        let mut right = left.clone();
        let of = left.args[0].sort.clone();
        right.args[0] = self.term(&of, 1);
        let same = left.args[0].clone().equals(right.args[0].clone());
        let congruence = implies(same, left.equals(right));
        if self.rng.percent(60) {
            return Some(congruence);
        }
        let [a, b, c] = [(); 3].map(|()| self.term(&sort, 1));
        let both = Node::bool("and", [a.clone().equals(b.clone()), b.equals(c.clone())]);
        Some(implies(both, a.equals(c)))
    }

    fn law_of_numbers(&mut self) -> Option<Node> {
        self.sort_where(|sort| *sort == Sort::Real)?;
        let [x, y] = [(); 2].map(|()| self.term(&Sort::Real, 1));
        let [i, j] = [(); 2].map(|()| self.term(&Sort::Int, 1));
        let real = |head: &str, args: Vec<Node>| Node::new(Sort::Real, head, args);
        let floor = int("to_int", [x.clone()]);
        let floored = real("to_real", vec![floor.clone()]);
        let one = Node::leaf(Sort::Real, "1.0");
        Some(match self.rng.below(6) {
            0 => {
                let above = real("+", vec![floored.clone(), one]);
                let below = Node::bool("<=", [floored, x.clone()]);
                Node::bool("and", [below, Node::bool("<", [x, above])])
            }
            1 => Node::bool("is_int", [x.clone()]).equals(x.equals(floored)),
            2 => int("to_int", [real("to_real", vec![i.clone()])]).equals(i),
            3 => {
                let sum = real(
                    "+",
                    vec![
                        real("to_real", vec![i.clone()]),
                        real("to_real", vec![j.clone()]),
                    ],
                );
                sum.equals(real("to_real", vec![int("+", [i, j])]))
            }
            4 => {
                let between = [
                    Node::bool("<", [real("to_real", vec![i.clone()]), x.clone()]),
                    Node::bool("<", [x, real("to_real", vec![j.clone()])]),
                ];
                let [above, below] = between;
                implies(Node::bool("and", [above, below]), Node::bool("<", [i, j]))
            }
            _ => {
                let less = Node::bool("<=", [x, y.clone()]);
                implies(less, Node::bool("<=", [floor, int("to_int", [y])]))
            }
        })
    }

    fn law_of_conversions(&mut self) -> Option<Node> {
        self.sort_where(|sort| *sort == Sort::Int)?;
        let sort = self.sort_where(|sort| matches!(sort, Sort::Bv(_)))?;
        let Sort::Bv(width) = sort else { return None };
        let [a, b] = [(); 2].map(|()| self.term(&sort, 1));
        let i = self.term(&Sort::Int, 1);
        let modulus = numeral(1 << width);
        let head = *self.rng.pick(&["bv2nat", "ubv_to_int"]);
        let back = format!("(_ {} {width})", self.rng.pick(&["int2bv", "int_to_bv"]));
        let unsigned = |a: &Node| int(head, [a.clone()]);
        let signed = |a: &Node| int("sbv_to_int", [a.clone()]);
        let bits = |i: Node| Node::new(sort.clone(), back.clone(), [i]);
        Some(match self.rng.below(8) {
            0 => bits(unsigned(&a)).equals(a),
            1 => unsigned(&bits(i.clone())).equals(int("mod", [i, modulus])),
            2 => Node::bool("<=", [numeral(0), unsigned(&a), numeral((1 << width) - 1)]),
            3 => {
                let less = Node::bool("bvult", [a.clone(), b.clone()]);
                less.equals(Node::bool("<", [unsigned(&a), unsigned(&b)]))
            }
            4 => {
                let less = Node::bool("bvslt", [a.clone(), b.clone()]);
                less.equals(Node::bool("<", [signed(&a), signed(&b)]))
            }
            5 => {
                let sum = Node::new(sort.clone(), "bvadd", [a.clone(), b.clone()]);
                let expected = int("mod", [int("+", [unsigned(&a), unsigned(&b)]), modulus]);
                unsigned(&sum).equals(expected)
            }
            6 => {
                let wide = Node::new(Sort::Bv(2 * width), "concat", [a.clone(), b.clone()]);
                let high = int("*", [modulus, unsigned(&a)]);
                int("bv2nat", [wide]).equals(int("+", [high, unsigned(&b)]))
            }
            _ => bits(signed(&a)).equals(a),
        })
    }

    fn law_of_data(&mut self) -> Option<Node> {
        if self.datatypes.is_empty() {
            return None;
        }
        let datatype = self.rng.pick(&self.datatypes).clone();
        let sort = datatype.sort.clone();
        let constructor = self.rng.pick(&datatype.constructors).clone();
        let [d, e] = [(); 2].map(|()| self.term(&sort, 1));
        let is = |name: &str, d: &Node| Node::bool(format!("(_ is {name})"), [d.clone()]);
        let mut made = [(); 2].map(|()| Vec::new());
        for (_, of) in &constructor.fields {
            for args in &mut made {
                args.push(self.term(of, 1));
            }
        }
        let [first, second] = made;
        let build = |args: &[Node]| Node::new(sort.clone(), constructor.name.clone(), args);
        let selected = |d: &Node| -> Vec<Node> {
            let fields = constructor.fields.iter();
            fields
                .map(|(name, of)| Node::new(of.clone(), name.clone(), [d.clone()]))
                .collect()
        };
        Some(match self.rng.below(6) {
            0 => {
                let mut same = vec![Node::leaf(Sort::Bool, "true")];
                same.extend(
                    first
                        .iter()
                        .zip(&second)
                        .map(|(a, b)| a.clone().equals(b.clone())),
                );
                build(&first)
                    .equals(build(&second))
                    .equals(conjunction(same))
            }
            1 => {
                let tests = datatype.constructors.iter();
                let tests: Vec<Node> = tests.map(|made| is(&made.name, &d)).collect();
                match tests.len() {
                    1 => conjunction(tests),
                    _ => Node::bool("or", tests),
                }
            }
            2 => {
                let mut same = vec![is(&constructor.name, &build(&first))];
                let selected = selected(&build(&first)).into_iter();
                same.extend(selected.zip(first).map(|(a, b)| a.equals(b)));
                conjunction(same)
            }
            3 => implies(is(&constructor.name, &d), build(&selected(&d)).equals(d)),
            4 => {
                let is_enumeration = datatype
                    .constructors
                    .iter()
                    .all(|made| made.fields.is_empty());
                if !is_enumeration {
                    return Some(implies(d.clone().equals(e.clone()), d.equals(e)));
                }
                let count = datatype.constructors.len() + 1;
                let many: Vec<Node> = (0..count).map(|_| self.term(&sort, 1)).collect();
                Node::bool("distinct", many).not()
            }
            _ => {
                let mut same = vec![is(&constructor.name, &d), is(&constructor.name, &e)];
                let pairs = selected(&d).into_iter().zip(selected(&e));
                same.extend(pairs.map(|(a, b)| a.equals(b)));
                implies(conjunction(same), d.equals(e))
            }
        })
    }

    /// `forall` and `exists` are each other's duals.
    fn law_of_quantifiers(&mut self) -> Option<Node> {
        if self.family != super::Family::Quantified {
            return None;
        }
        let formula = self.quantified(1);
        let Shape::Quantifier(head) = &formula.shape else {
            return None;
        };
        let other = match head.strip_prefix("forall") {
            Some(vars) => format!("exists{vars}"),
            None => head.replacen("exists", "forall", 1),
        };
        let dual = Node {
            sort: Sort::Bool,
            shape: Shape::Quantifier(other),
            args: vec![formula.args[0].clone().not()],
        };
        Some(formula.equals(dual.not()))
    }
}
