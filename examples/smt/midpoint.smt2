; The midpoint of two array indices, as binary searches once computed it: (low + high) / 2 in signed 32-bit arithmetic.
; Can it fall outside low..high? And with the repair, low + (high - low) / 2?
(set-logic QF_BV)
(set-option :produce-models true)
(declare-const low (_ BitVec 32))
(declare-const high (_ BitVec 32))
(define-fun outside ((middle (_ BitVec 32))) Bool (or (bvslt middle low) (bvsgt middle high)))

; Indices are not negative, and in order.
(assert (bvsge low #x00000000))
(assert (bvsle low high))

(push 1)
(echo "(low + high) / 2 can fall outside:")
(assert (outside (bvsdiv (bvadd low high) #x00000002)))
(set-info :status sat)
(check-sat)
(get-value (low high (bvsdiv (bvadd low high) #x00000002)))
(pop 1)

(push 1)
(echo "low + (high - low) / 2 can fall outside:")
(assert (outside (bvadd low (bvsdiv (bvsub high low) #x00000002))))
(set-info :status unsat)
(check-sat)
(pop 1)
