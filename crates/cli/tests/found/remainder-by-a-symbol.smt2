; The remainder by a symbol, and the product it is defined by, once were two unknowns.
(set-info :status unsat)
(declare-const a Int)(declare-const n Int)
(assert (> n 0))
(assert (>= (mod a n) n))
