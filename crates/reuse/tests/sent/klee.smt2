(set-option :print-success false)
(set-option :produce-models true)
(set-logic QF_UFBV)
; v0 is "a"
(declare-fun v0 () (_ BitVec 8))
(assert (bvult v0 #x0a))
; v1 is "b"
(declare-fun v1 () (_ BitVec 8))
; v2 is "c"
(declare-fun v2 () (_ BitVec 8))
(assert (not (bvult (bvadd(bvadd v2 v0) v1) #x14)))
(check-sat)
(get-value (v0 v1 v2))
(reset)
(set-option :print-success false)
(set-option :produce-models true)
(set-logic QF_UFBV)
; v0 is "a"
(declare-fun v0 () (_ BitVec 8))
(assert (not (bvult v0 #x0a)))
(check-sat)
(get-value (v0))
(reset)
(set-option :print-success false)
(set-option :produce-models true)
(set-logic QF_UFBV)
; v1 is "b"
(declare-fun v1 () (_ BitVec 8))
; v2 is "c"
(declare-fun v2 () (_ BitVec 8))
(assert (= #x0f (bvmul v2 v1)))
(check-sat)
(get-value (v1 v2))
(reset)
(set-option :print-success false)
(set-option :produce-models true)
(set-logic QF_UFBV)
; v1 is "b"
(declare-fun v1 () (_ BitVec 8))
; v2 is "c"
(declare-fun v2 () (_ BitVec 8))
(assert (= #x0f (bvmul v2 v1)))
(assert (not (= #b1 ((_ extract 0 0) v2))))
(check-sat)
(reset)
(set-option :print-success false)
(set-option :produce-models true)
(set-logic QF_UFBV)
; v0 is "a"
(declare-fun v0 () (_ BitVec 8))
(assert (bvult v0 #x0a))
; v1 is "b"
(declare-fun v1 () (_ BitVec 8))
; v2 is "c"
(declare-fun v2 () (_ BitVec 8))
(assert (bvult (bvadd(bvadd v2 v0) v1) #x14))
(check-sat)
(get-value (v0 v1 v2))
