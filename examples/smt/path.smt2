; What a symbolic executor asks: one path through `if (s[0] == '-') … while (isdigit(s[i])) …`, branch by branch.
; The input is an array of bytes; the path condition grows on the assertion stack; assumptions are the branches still to decide.
(set-logic QF_ABV)
(set-option :produce-models true)
(set-option :produce-unsat-assumptions true)
(declare-const s (Array (_ BitVec 32) (_ BitVec 8)))
(define-fun digit ((c (_ BitVec 8))) Bool (and (bvule #x30 c) (bvule c #x39)))
(define-fun value ((c (_ BitVec 8))) (_ BitVec 32) ((_ zero_extend 24) (bvsub c #x30)))
(define-fun c0 () (_ BitVec 8) (select s #x00000000))
(define-fun c1 () (_ BitVec 8) (select s #x00000001))
(define-fun c2 () (_ BitVec 8) (select s #x00000002))
(define-fun number () (_ BitVec 32) (bvadd (bvmul #x0000000a (value c1)) (value c2)))

(assert (= c0 #x2d))
(push 1)
(assert (digit c1))
(check-sat-assuming ((digit c2)))
(push 1)
(assert (digit c2))
; Can the number read be 57? And 100?
(check-sat-assuming ((= number #x00000039)))
(get-value (c0 c1 c2 number))
(check-sat-assuming ((= number #x00000064)))
(get-unsat-assumptions)
(pop 2)
; On the other side of the branch the stack is shorter, and the solver keeps what it learned.
(check-sat-assuming ((not (digit c1))))
