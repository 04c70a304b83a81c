; What satisfies a datatype whose field is an array was not decided.
(set-logic ALL)
(declare-const a (Array (_ BitVec 8) (_ BitVec 8)))
(declare-datatype D ((A (x (Array (_ BitVec 8) (_ BitVec 8)))) (B)))
(declare-const d D)
(assert ((_ is A) d))
(assert (= (select (x d) #x01) (select a #x02)))
(set-info :status sat)
(check-sat)
