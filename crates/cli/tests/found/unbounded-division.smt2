; Branching once followed an unbounded direction for ever.
(set-logic QF_LIA)
(declare-const x Int)(declare-const y Int)(declare-const z Int)
(assert (= (div x 5) (* 2 (- y z))))
(assert (>= 2 (mod x 4)))
(assert (< (mod z 5) (- x)))
(set-info :status sat)
(check-sat)
