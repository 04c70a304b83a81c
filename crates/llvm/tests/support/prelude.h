typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned u32; typedef long long i64; typedef unsigned long long u64;
typedef __int128 i128; typedef unsigned __int128 u128;
void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long);
int memcmp(const void *, const void *, unsigned long);
void *memchr(const void *, int, unsigned long);
unsigned long strlen(const char *);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, unsigned long);
char *strchr(const char *, int);
int isdigit(int); int isalpha(int); int toupper(int); int atoi(const char *); int abs(int);
long strtol(const char *, char **, int);
void *malloc(unsigned long); void *realloc(void *, unsigned long); void free(void *);

unsigned char in[16];
u64 result;
u8 G0[8] = { 11, 22, 33, 44, 55, 66, 77, 88 };
i32 G1[4] = { 100000, -1, 7, -2147483647 - 1 };
void reset(void) {
    static const u8 g0[8] = { 11, 22, 33, 44, 55, 66, 77, 88 };
    static const i32 g1[4] = { 100000, -1, 7, -2147483647 - 1 };
    memcpy(G0, g0, 8);
    memcpy(G1, g1, 16);
}
double gd = 2.75;
float gf = 0.5f;
static const u8 T0[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 255 };
static const i32 T1[8] = { -1, 2, -3, 40000, 0, 65536, -2147483647 - 1, 2147483647 };
static const struct { u8 x; i16 y; } T3[4] = { { 1, -2 }, { 3, 4 }, { 5, -600 }, { 7, 800 } };
#define R4(n) n, n * 7 + 1, n * 13 ^ 5, 65535 - n
#define R16(n) R4(n), R4(n + 1), R4(n + 2), R4(n + 3)
#define R64(n) R16(n), R16(n + 4), R16(n + 8), R16(n + 12)
static const u16 T2[256] = { R64(0), R64(16), R64(100), R64(1000) };
struct S { u8 a; i16 b; u32 c; unsigned f : 3; int g : 5; unsigned h : 9; _Bool e; u64 w : 40; u64 d; };
struct __attribute__((packed)) P { u8 a; u32 b; int c : 11; unsigned d : 21; };
union U { u64 a; u8 b[8]; u16 c[4]; u32 d[2]; };

#define ADD(x) (acc = acc * 1000003 + (u64)(x))
#define LD(T, at) ({ T t_; memcpy(&t_, in + at, sizeof t_); t_; })
#define DIV(T, op, a, b) ({ T n_ = (T)(a), d_ = (T)(b); d_ == 0 || d_ == (T)-1 ? (T)(n_ ^ 5) : (T)(n_ op d_); })
volatile u64 sink;
#define TRAP(T, op, a, b) ({ volatile T n_ = (T)(a), d_ = (T)(b); T q_ = (T)(n_ op d_); sink = q_; q_; })
#define DIVZ(T, op, a, b) ({ T y_ = (T)(b); y_ ? TRAP(T, op, a, y_) : (T)9; })
#define BITS(T) (8 * (int)sizeof(T))
#define UNSIGNED(T, x) ((u64)(x) << (64 - BITS(T)) >> (64 - BITS(T)))
#define CLZ(T, a) ({ u64 x_ = UNSIGNED(T, a); x_ ? BITS(T) <= 32 ? __builtin_clz((u32)x_ | (x_ >> 32 != 0)) : __builtin_clzll(x_) : 77; })
#define CTZ(T, a) ({ T x_ = (T)(a); x_ ? BITS(T) <= 32 ? __builtin_ctz((u32)x_) : __builtin_ctzll((u64)x_) : 78; })
#define POPCOUNT(T, a) (BITS(T) <= 32 ? __builtin_popcount((u32)UNSIGNED(T, a)) : __builtin_popcountll((u64)(a)))
#define PARITY(T, a) (BITS(T) <= 32 ? __builtin_parity((u32)UNSIGNED(T, a)) : __builtin_parityll((u64)(a)))
#define ADDO(T, a, b) ({ T r_; u64 o_ = __builtin_add_overflow((T)(a), (T)(b), &r_); o_ << 63 ^ (u64)r_; })
#define SUBO(T, a, b) ({ T r_; u64 o_ = __builtin_sub_overflow((T)(a), (T)(b), &r_); o_ << 63 ^ (u64)r_; })
#define MULO(T, a, b) ({ T r_; u64 o_ = __builtin_mul_overflow((T)(a), (T)(u8)(b), &r_); o_ << 63 ^ (u64)r_; })
#define MIXED1(a, b) ({ i16 r_; u64 o_ = __builtin_add_overflow((u64)(a), (i8)(b), &r_); o_ << 63 ^ (u64)r_; })
#define MIXED2(a, b) ({ u32 r_; u64 o_ = __builtin_sub_overflow((i32)(a), (u64)(b), &r_); o_ << 63 ^ (u64)r_; })
#define MIXED3(a, b) ({ i32 r_; u64 o_ = __builtin_mul_overflow((i8)(a), (u16)(b), &r_); o_ << 63 ^ (u64)r_; })
#if __clang_major__ >= 16
#define ADDSAT(T, a, b) __builtin_elementwise_add_sat((T)(a), (T)(b))
#define SUBSAT(T, a, b) __builtin_elementwise_sub_sat((T)(a), (T)(b))
#else
#define ADDSAT(T, a, b) ((T)((a) + (b)))
#define SUBSAT(T, a, b) ((T)((a) - (b)))
#endif
#define MIN(T, a, b) ({ T x_ = (T)(a), y_ = (T)(b); x_ < y_ ? x_ : y_; })
#define MAX(T, a, b) ({ T x_ = (T)(a), y_ = (T)(b); x_ > y_ ? x_ : y_; })
#define ABS(T, a) ({ T x_ = (T)(a); (T)(x_ < 0 ? -x_ : x_); })
#define ROTL(T, a, b) ({ u64 x_ = UNSIGNED(T, a); u32 s_ = (b) & (BITS(T) - 1); (T)(x_ << s_ | x_ >> (-s_ & (BITS(T) - 1))); })
#define ROTR(T, a, b) (BITS(T) == 8 ? __builtin_rotateright8(a, b) : BITS(T) == 16 ? __builtin_rotateright16(a, b) : BITS(T) == 32 ? __builtin_rotateright32(a, b) : __builtin_rotateright64(a, b))
#define WMULH(a, b) ((u64)((u128)(u64)(a) * (u128)(u64)(b) >> 64))
#define WMULS(a, b) ((u64)((i128)(i64)(a) * (i128)(i8)(b) >> 37))
#define WSHIFT(a, b, c) ({ i128 x_ = (i128)((u128)(u64)(a) << 64 | (u64)(b)); int s_ = (c) & 127; (u64)(x_ >> s_) ^ (u64)((u128)x_ >> s_ >> 64) ^ (u64)(x_ << s_ >> 64); })
#define WDIV(a, b) ({ u128 x_ = (u128)(u8)(a) << 64 | (u8)(b); (u64)(x_ / 10) ^ (u64)(x_ % 1000000007); })
#define WSDIV(a) ({ i128 x_ = (i128)(i8)(a) * ((i128)1 << 70); (u64)(x_ / 1000) ^ (u64)(x_ % 7) ^ (u64)(x_ / 3 >> 64); })
#define WCMP(a, b) (((i128)(i64)(a) << 9) - (u64)(b) < (i128)(i8)(b))
#define BITS17(a, b) ({ unsigned _BitInt(17) x_ = (u32)(a), y_ = (u32)(b); u64 r_ = (x_ + y_) ^ (x_ >> (u32)(y_ & 7)); r_ ^ (x_ < y_); })
#define BITS37(a, b) ({ signed _BitInt(37) x_ = (i64)(a), y_ = (i64)(b); (u64)(i64)((x_ - y_) ^ (x_ >> (int)(y_ & 15))) ^ (x_ < y_); })
#define BITS3(a, b) ({ signed _BitInt(3) x_ = (i8)(a); unsigned _BitInt(3) y_ = (u8)(b); (u64)(i64)(signed _BitInt(3))(x_ * 3 + x_) ^ (u64)(y_ * y_) << 8; })
#define BITS128(a, b) ({ unsigned _BitInt(100) x_ = (u64)(a); x_ = x_ << 36 | (u64)(b); (u64)(x_ >> 30) ^ (u64)(x_ >> 64); })
#define BITDIV(a, b) ({ signed _BitInt(11) x_ = (i16)(a), y_ = (i8)(b); y_ == 0 || y_ == -1 ? 5 : (u64)(i64)(x_ / y_) ^ (u64)(i64)(x_ % y_) << 20; })
typedef u8 V8 __attribute__((vector_size(8)));
typedef i16 V16 __attribute__((vector_size(16)));
typedef u32 V32 __attribute__((vector_size(16)));
typedef i8 VI8 __attribute__((vector_size(8)));
#define VEC8(a, b) ({ V8 x_; memcpy(&x_, in, 8); V8 y_ = x_ * 3 + (V8){ (u8)(a), 2, 3, 4, 5, 6, 7, (u8)(b) }; y_ = __builtin_shufflevector(x_, y_, 0, 8, 15, 3, 4, 12, 7, 9); y_[(b) & 7] ^ (u64)y_[2] << 8; })
#define VEC16(a, b) ({ V16 x_; memcpy(&x_, in, 8); memcpy((u8 *)&x_ + 8, in, 8); x_ = (x_ >> 3) - (i16)(a); x_ ^= x_ << (V16){ 0, 1, 2, 3, 4, 5, 6, 15 }; (u64)(i64)x_[(b) & 7]; })
#define VEC32(a, b) ({ V32 x_ = { (u32)(a), (u32)(b), 3, in[3] }; x_ = __builtin_shufflevector(x_, x_, 3, 2, 1, 0) + x_; u64 r_[2]; memcpy(r_, &x_, 16); r_[0] ^ r_[1] >> 3; })
#define VECCMP(a, b) ({ VI8 x_; memcpy(&x_, in, 8); VI8 c_ = x_ < (VI8){ (i8)(a), 0, -5, 7, (i8)(b), 100, -128, 127 }; u64 r_; memcpy(&r_, &c_, 8); r_; })
#define VECSET(a, b, c) ({ V16 x_ = { 1, 2, 3, (i16)(a) }; x_[(b) & 7] = (i16)(c); u64 r_[2]; memcpy(r_, &x_, 16); r_[0] * 3 + r_[1]; })
static __attribute__((noinline)) u64 byval_(struct S s, int k) { s.c += k; s.h ^= 3; return s.a + s.b * 3 + s.c * 5 + s.f * 7 + s.g * 11 + s.h * 13 + s.w * 17 + s.d; }
#define byval(a, b) ({ struct S s_[4] = { { 1 }, { (u8)(a), 2, 3 }, { .w = (u64)(b) }, { .d = in[2] } }; s_[(b) & 3].c = (u32)(a); byval_(s_[(a) & 3], (int)(b)); })
struct pair { u64 x; u32 y; };
static __attribute__((noinline)) struct pair pair_(u64 a, u32 b) { struct pair p = { a ^ b, (u32)a + b }; return p; }
#define PAIR(a, b) ({ struct pair p_[2]; p_[0] = p_[1] = pair_(1, 2); p_[(b) & 1] = pair_((u64)(a), (u32)(b)); p_[0].x ^ p_[1].y ^ (u64)p_[0].y << 9; })
static u32 rec_(u32 n, u32 x) { return n == 0 ? x : rec_(n - 1, x * 3 + n) ^ n; }
#define rec(a, b) rec_((a) & 3, (u32)(b))
static __attribute__((noinline)) i64 varsum_(int n, ...) { __builtin_va_list l; __builtin_va_start(l, n); i64 s = 0; for (int k = 0; k < n; k++) s = s * 3 + (k == 1 ? __builtin_va_arg(l, i64) : __builtin_va_arg(l, int)); __builtin_va_end(l); return s; }
#define varsum(a, b, c) varsum_(3, (int)(a), (i64)(b), (int)(i8)(c))
#define FLOAT() ((i64)(gd * 3.5 + (double)gf) - (i64)(gf * -7.0f) + (gd > gf))
#define FLOATSEL(a) ({ double x_ = (a) ? 1.5 : 2.5; u64 r_; memcpy(&r_, &x_, 8); r_ >> 40; })
enum color { RED, GREEN = 5, BLUE = -1 };
#define ENUM(a) ({ enum color c_ = ((a) & 1) ? GREEN : ((a) & 2) ? BLUE : RED; c_ == GREEN ? 10 : c_ < 0 ? 20 : (int)c_; })
#define COMPOUND(a, b) ({ struct { u8 x : 4, y : 4; i8 z; } c_ = { (u8)(a), (u8)(b), (i8)(a) }; c_.x += c_.y; c_.z >>= 2; c_.x ^ c_.y << 4 ^ c_.z << 8; })
#define PTRDIFF(a, b) ({ u32 x_[8]; (u64)(&x_[(a) & 7] - &x_[(b) & 7]); })
#define PTRCMP(a, b) ({ u32 x_[8]; &x_[(a) & 7] < &x_[(b) & 7]; })
#define LOCALARRAY(a, b) ({ u16 x_[8] = { 0 }; x_[(a) & 7] = 5; x_[(b) & 7] += (u16)(a); x_[3] ^= 1; x_[(a) & 3] + x_[((b) + 1) & 7] * 3; })
#define PTRPTR(a, b) ({ u8 x_ = (u8)(a), y_ = (u8)(b), z_ = 9; u8 *t_[4] = { &x_, &y_, &z_, &x_ }; *t_[(a) & 3] += 1; *t_[(b) & 3] * 3 + x_; })
static __attribute__((noinline)) u64 goto_(u32 a) { static const void *l[] = { &&x, &&y, &&z }; u64 r = 0; goto *l[(a & 1) + (a >> 1 & 1)]; x: r += 5; y: r += 7; z: r += 9; return r; }
#define GOTO(a) goto_((u32)(a))
static i64 fn0(i64 a, u8 b) { return a - b; }
static __attribute__((noinline)) void str_(char *s, int at) { s[0] = in[at & 3]; s[1] = in[(at & 3) + 1]; s[2] = 0; }
#define SIGN(x) ({ int c_ = (x); (c_ > 0) - (c_ < 0); })
#define S_memcmp(a, b) ({ u8 x_[3] = { (u8)(a), 2, in[1] }, y_[3] = { 7, (u8)(b), 200 }; SIGN(memcmp(x_, y_, 3)); })
#define S_strlen(a) ({ char s_[4]; str_(s_, 1); s_[1] ^= (a) & 1; (u64)strlen(s_); })
#define S_strcmp(a) ({ char s_[4]; str_(s_, 2); s_[0] += (char)(a); SIGN(strcmp(s_, "ab")); })
#define S_strncmp(a, b) ({ char s_[4]; str_(s_, 0); s_[1] = (char)(a); SIGN(strncmp(s_, "\xffz", (b) & 3)); })
#define S_isdigit(a) (!!isdigit((u8)(a)))
#define S_isalpha(a) (!!isalpha((u8)(a)))
#define S_toupper(a) toupper((u8)(a))
#define S_atoi(a) ({ char s_[4]; str_(s_, 3); s_[0] ^= (a) & 1; atoi(s_); })
#define S_strtol(a) ({ char s_[3]; s_[0] = (char)(a); s_[1] = '7'; s_[2] = 0; char *e_; long r_ = strtol(s_, &e_, 16); (u64)r_ * 4 + (e_ - s_); })
#define S_strchr(a) ({ char *p_ = strchr("a0b1c2", (u8)(a)); p_ ? (u64)*p_ + 3 : 0; })
#define S_memchr(a) ({ u8 *p_ = memchr(in, (u8)(a), 4); p_ ? (u64)(p_ - in) + 3 : 0; })
#define S_abs(a) abs((int)(a))
void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
int snprintf(char *, unsigned long, const char *, ...);
int _setjmp(long *); void longjmp(long *, int);
static int order_(const void *a, const void *b) { return *(const u8 *)a - *(const u8 *)b; }
#define S_qsort(a, b) ({ u8 x_[3] = { (u8)(a), (u8)(b), in[1] }; qsort(x_, 3, 1, order_); x_[0] | x_[1] << 8 | x_[2] << 16; })
#define S_bcmp(a) ({ u8 x_[5] = { (u8)(a), 2, in[1], 4, in[0] }; memcmp(x_, "\1\2\3\4\5", 5) == 0 || memcmp(x_ + 1, in, 3) == 0; })
#define S_snprintf(a) ({ char s_[8]; u64 n_ = snprintf(s_, 8, "%d,%x", (int)((a) & 3), in[3] & 1); n_ * 256 + s_[0] + s_[2]; })
#define ATOMIC(a, b) ({ u32 x_ = (u32)(a); u32 o_ = __atomic_fetch_add(&x_, (u32)(b), 5); __atomic_fetch_nand(&x_, 5, 5); o_ += __atomic_fetch_min(&x_, 900, 5); u32 e_ = (u32)(b); int c_ = __atomic_compare_exchange_n(&x_, &e_, 7, 0, 5, 5); i16 y_ = (i16)(a); o_ ^= __atomic_fetch_max(&y_, (i16)(b), 5); __atomic_exchange_n(&x_, x_ ^ y_, 5); o_ ^ x_ * 3 ^ c_ ^ e_; })
#define VLA(a) ({ int n_ = ((a) & 3) + 1; u16 x_[n_]; for (int q = 0; q < n_; q++) x_[q] = q * 5; x_[n_ - 1] += (u16)(a); x_[0] + x_[n_ / 2]; })
static __attribute__((noinline)) u64 jump_(u32 a) { long b[32]; int r = _setjmp(b); if (r) return r + 100; if (a & 1) longjmp(b, (a & 6) + 1); return a; }
#define JUMP(a) jump_((u32)(a))
struct three { u8 x[3]; }; struct six { u16 x[3]; }; struct mixed { u32 i; u8 j; i64 k; };
static __attribute__((noinline)) struct three three_(struct three t, struct six s) { struct three r = { { t.x[2], (u8)s.x[1], t.x[0] } }; return r; }
#define SMALL(a, b) ({ struct three t_ = { { (u8)(a), 2, (u8)(b) } }; struct six s_ = { { 1, (u16)(b), 3 } }; struct three r_[2]; r_[0] = t_; r_[1] = three_(t_, s_); r_[(a) & 1].x[(b) & 1] + r_[1].x[2] * 7; })
static __attribute__((noinline)) struct mixed mixed_(struct mixed m, _Bool b) { m.i += m.j; m.k -= b ? m.i : 1; return m; }
#define MIXEDSTRUCT(a, b) ({ struct mixed m_ = mixed_((struct mixed){ (u32)(a), (u8)(b), 5 }, (a) > 3); m_.i ^ m_.j << 3 ^ (u64)m_.k; })
#define PTRINT(a) ({ u32 x_[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }; u64 p_ = (u64)x_ + 4 * ((a) & 7); p_ ^= 1; *(u32 *)(p_ ^ 1) + (p_ - (u64)x_); })
#define PTRSEL(a, b) ({ u8 x_[4] = { 1, 2, 3, (u8)(b) }, y_[2] = { 9, (u8)(a) }; u8 *p_ = (a) & 1 ? x_ + ((b) & 3) : y_ + ((b) & 1); *p_ += 1; *p_ * 5 + x_[0] + y_[1]; })
#define SELFREF(a) ({ struct n_ { struct n_ *next; u8 v; } x_[3] = { { &x_[1], 1 }, { &x_[2], (u8)(a) }, { 0, 3 } }; if ((a) & 4) x_[0].next = &x_[2]; u64 s_ = 0; for (struct n_ *p_ = x_; p_; p_ = p_->next) s_ = s_ * 7 + p_->v; s_; })

#define DO_COPY01(n) memcpy(A0, A1, (n) & 7)
#define DO_COPY10(n) memcpy(A1, A0 + ((n) & 3), 4)
#define DO_COPYG(a, b) memcpy(A4 + ((a) & 7), G0 + ((b) & 3), 5)
#define DO_MOVE(a, n) memmove(A4 + ((a) & 7), A4 + 2, (n) & 7)
#define DO_FILL(b, n) memset(A4 + 3, (int)(b), (n) & 7)
#define DO_FILLAT(b, n) memset(A4 + ((n) & 7), (int)(b), 5)
#define DO_STRUCTCOPY(a, b) (S[(a) & 3] = S[(b) & 3])
#define DO_STRUCTMAKE(a, b) (S[(a) & 3] = make_((u8)(a), (u64)(b)))
#define DO_LOOPMAP(a) do { for (int q = 0; q < 8; q++) A0[q] = (u8)(A0[q] * 3 ^ A4[q + 5]) + (u8)(a); } while (0)
#define DO_LOOPSUM(a) do { i32 s_ = 0; for (int q = 0; q < 16; q++) s_ += A4[q] > (i8)(a) ? A4[q] : 1; A4[5] = s_; acc ^= s_; } while (0)
#define DO_LOOPMAX(a) do { i8 s_ = (i8)(a); for (int q = 0; q < 16; q++) s_ = A4[q] > s_ ? A4[q] : s_; A4[15] = s_; } while (0)
#define DO_LOOPSHORT(a) do { for (int q = 0; q < 16; q++) M[q / 4][q % 4] = M[q / 4][q % 4] * 5 + (u16)(a) + q; } while (0)
#define DO_SWAP(a, b) do { i32 *x_ = &A2[(a) & 3], *y_ = &A2[(b) & 3], t_ = *x_; *x_ = *y_; *y_ = t_; } while (0)
#define DO_HEAP(a) do { i16 *x_ = malloc(((a) & 3) * 2 + 2); *x_ = 5; x_[(a) & 3] = (i16)(a); H[2] += x_[0]; free(x_); } while (0)
#define DO_REALLOC(a) do { H = realloc(H, 20); H[8 + ((a) & 1)] = (i16)(a); H[1] ^= H[8 + ((a) & 1)]; } while (0)
#define DO_UNALIGNED(a, b) do { u8 *x_ = (u8 *)A3 + ((a) & 15); u32 t_; memcpy(&t_, x_, 4); t_ += (u32)(b); memcpy(x_ + 1, &t_, 4); } while (0)
static __attribute__((noinline)) struct S make_(u8 a, u64 b) { struct S s = { a, 2, 3, 4, 5, 6, 1, b, b >> 40 }; return s; }

