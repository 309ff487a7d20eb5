// fold-add
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.add %a, %b : tensor<2xi32>

// fold-add
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.add %a, %b : tensor<2xi32>

// fold-add
%a = stablehlo.constant dense<[(5.0, 0.0), (7.0, 0.0)]> : tensor<2xcomplex<f32>>
            %b = stablehlo.constant dense<[(3.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.add %a, %b : tensor<2xcomplex<f32>>

// fold-and
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.and %a, %b : tensor<2xi32>

// fold-and
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.and %a, %b : tensor<2xi32>

// fold-broadcast
%r = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<2x3xf32>

// fold-clamp
%x = stablehlo.constant dense<[0, 2, 5]> : tensor<3xi32>
            %high = stablehlo.constant dense<3> : tensor<i32>
            %r = stablehlo.clamp %low, %x, %high : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>

// fold-clamp
%low = stablehlo.constant dense<1> : tensor<i32>
            %high = stablehlo.constant dense<3> : tensor<i32>
            %r = stablehlo.clamp %low, %x, %high : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>

// fold-clamp
%low = stablehlo.constant dense<1> : tensor<i32>
            %x = stablehlo.constant dense<[0, 2, 5]> : tensor<3xi32>
            %r = stablehlo.clamp %low, %x, %high : (tensor<i32>, tensor<3xi32>, tensor<i32>) -> tensor<3xi32>

// fold-clamp
%low = stablehlo.constant dense<(1.0, 0.0)> : tensor<complex<f32>>
            %x = stablehlo.constant dense<[(0.0, 0.0), (2.0, 0.0), (5.0, 0.0)]> : tensor<3xcomplex<f32>>
            %high = stablehlo.constant dense<(3.0, 0.0)> : tensor<complex<f32>>
            %r = stablehlo.clamp %low, %x, %high : (tensor<complex<f32>>, tensor<3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<3xcomplex<f32>>

// fold-compare
%b = stablehlo.constant dense<2> : tensor<2xi32>
            %r = stablehlo.compare LT, %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// fold-compare
%a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %r = stablehlo.compare LT, %a, %b : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// fold-compare
%a = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %b = stablehlo.constant dense<(2.0, 0.0)> : tensor<2xcomplex<f32>>
            %r = stablehlo.compare LT, %a, %b : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> tensor<2xi1>

// fold-concatenate
%x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %y = stablehlo.constant dense<3> : tensor<1xi32>
            %r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<?xi32>

// fold-concatenate
%y = stablehlo.constant dense<3> : tensor<1xi32>
            %r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xi32>, tensor<1xi32>) -> tensor<3xi32>

// fold-concatenate
%x = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %y = stablehlo.constant dense<(3.0, 0.0)> : tensor<1xcomplex<f32>>
            %r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xcomplex<f32>>, tensor<1xcomplex<f32>>) -> tensor<3xcomplex<f32>>

// fold-convert
%r = stablehlo.convert %a : tensor<2xf32>

// fold-convert
%c = stablehlo.constant dense<1> : tensor<2xi32>
%r = stablehlo.convert %c : (tensor<2xi32>) -> tensor<?xf32>

// fold-convert
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.convert %a : tensor<2xcomplex<f32>>

// fold-divide
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.divide %a, %b : tensor<2xi32>

// fold-divide
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.divide %a, %b : tensor<2xi32>

// fold-divide
%a = stablehlo.constant dense<[(5.0, 0.0), (7.0, 0.0)]> : tensor<2xcomplex<f32>>
            %b = stablehlo.constant dense<[(3.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.divide %a, %b : tensor<2xcomplex<f32>>

// fold-dynamic-slice
%r = stablehlo.dynamic_slice %x, %i, %i, sizes = [2, 1]
              : (tensor<6x1xi32>, tensor<i32>, tensor<i32>) -> tensor<2x1xi32>

// fold-maximum
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.maximum %a, %b : tensor<2xi32>

// fold-maximum
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.maximum %a, %b : tensor<2xi32>

// fold-maximum
%a = stablehlo.constant dense<[(5.0, 0.0), (7.0, 0.0)]> : tensor<2xcomplex<f32>>
            %b = stablehlo.constant dense<[(3.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.maximum %a, %b : tensor<2xcomplex<f32>>

// fold-minimum
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.minimum %a, %b : tensor<2xi32>

// fold-minimum
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.minimum %a, %b : tensor<2xi32>

// fold-minimum
%a = stablehlo.constant dense<[(5.0, 0.0), (7.0, 0.0)]> : tensor<2xcomplex<f32>>
            %b = stablehlo.constant dense<[(3.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.minimum %a, %b : tensor<2xcomplex<f32>>

// fold-multiply
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.multiply %a, %b : tensor<2xi32>

// fold-multiply
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.multiply %a, %b : tensor<2xi32>

// fold-multiply
%a = stablehlo.constant dense<[(5.0, 0.0), (7.0, 0.0)]> : tensor<2xcomplex<f32>>
            %b = stablehlo.constant dense<[(3.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.multiply %a, %b : tensor<2xcomplex<f32>>

// fold-or
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.or %a, %b : tensor<2xi32>

// fold-or
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.or %a, %b : tensor<2xi32>

// fold-remainder
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.remainder %a, %b : tensor<2xi32>

// fold-remainder
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.remainder %a, %b : tensor<2xi32>

// fold-remainder
%a = stablehlo.constant dense<[(5.0, 0.0), (7.0, 0.0)]> : tensor<2xcomplex<f32>>
            %b = stablehlo.constant dense<[(3.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.remainder %a, %b : tensor<2xcomplex<f32>>

// fold-reshape
%r = stablehlo.reshape %x : (tensor<4xi32>) -> tensor<2x2xi32>

// fold-select
%p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
%a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
%b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
%r = "stablehlo.select"(%p, %a, %b) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xi32>

// fold-select
%a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
            %r = stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xi32>

// fold-select
%p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
            %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
            %r = stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xi32>

// fold-select
%p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
            %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %r = stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xi32>

// fold-select
%p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
            %a = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %b = stablehlo.constant dense<[(3.0, 0.0), (4.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xcomplex<f32>>

// set-dimension-size-same
%r = stablehlo.set_dimension_size %x, %n, dim = 0
              : (tensor<10xf32>, tensor<i32>) -> tensor<10xf32>

// fold-sign
%r = stablehlo.sign %a : tensor<2xi32>

// fold-sign
%a = stablehlo.constant dense<[(-3.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.sign %a : tensor<2xcomplex<f32>>

// fold-slice
%x = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
            %r = stablehlo.slice %x [1:4:2] : (tensor<4xi32>) -> tensor<?xi32>

// fold-slice
%r = stablehlo.slice %x [1:4:2] : (tensor<4xi32>) -> tensor<2xi32>

// fold-slice
%x = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0), (4.0, 0.0)]> : tensor<4xcomplex<f32>>
            %r = stablehlo.slice %x [1:4:2] : (tensor<4xcomplex<f32>>) -> tensor<2xcomplex<f32>>

// fold-subtract
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.subtract %a, %b : tensor<2xi32>

// fold-subtract
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.subtract %a, %b : tensor<2xi32>

// fold-subtract
%a = stablehlo.constant dense<[(5.0, 0.0), (7.0, 0.0)]> : tensor<2xcomplex<f32>>
            %b = stablehlo.constant dense<[(3.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.subtract %a, %b : tensor<2xcomplex<f32>>

// fold-abs
%r = stablehlo.abs %a : tensor<2xi32>

// fold-cosine
%r = stablehlo.cosine %a : tensor<2xf32>

// fold-cosine
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.cosine %a : tensor<2xcomplex<f32>>

// fold-erf
%r = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>

// fold-exponential
%r = stablehlo.exponential %a : tensor<2xf32>

// fold-exponential
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.exponential %a : tensor<2xcomplex<f32>>

// fold-iota
%r = stablehlo.iota dim = 0 : tensor<3xi32>

// fold-iota
%r = stablehlo.iota dim = 0 : tensor<1xf32>

// fold-log
%r = stablehlo.log %a : tensor<2xf32>

// fold-log
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.log %a : tensor<2xcomplex<f32>>

// fold-logistic
%r = stablehlo.logistic %a : tensor<2xf32>

// fold-logistic
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.logistic %a : tensor<2xcomplex<f32>>

// fold-negate
%r = stablehlo.negate %a : tensor<2xi32>

// fold-negate
%a = stablehlo.constant dense<[(-3.0, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.negate %a : tensor<2xcomplex<f32>>

// fold-not
%r = stablehlo.not %a : tensor<2xi32>

// fold-reverse
%r = stablehlo.reverse %x, dims = [0] : tensor<3xi32>

// fold-reverse
%x = stablehlo.constant dense<[true, true, true]> : tensor<3xi1>
            %r = stablehlo.reverse %x, dims = [0] : tensor<3xi1>

// fold-reverse
%c = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
%r = "stablehlo.reverse"(%c) <{dimensions = array<i64: 0>}> : (tensor<2xi32>) -> tensor<?xi32>

// fold-reverse
%x = stablehlo.constant dense<[(1.0, 0.0), (2.0, 0.0), (3.0, 0.0)]> : tensor<3xcomplex<f32>>
            %r = stablehlo.reverse %x, dims = [0] : tensor<3xcomplex<f32>>

// fold-reverse
%c = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi32>
%r = stablehlo.reverse %c, dims = [0] : tensor<1x2xi32>

// fold-round_nearest_afz
%r = stablehlo.round_nearest_afz %a : tensor<2xf32>

// fold-round_nearest_even
%r = stablehlo.round_nearest_even %a : tensor<2xf32>

// fold-rsqrt
%r = stablehlo.rsqrt %a : tensor<2xf32>

// fold-rsqrt
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.rsqrt %a : tensor<2xcomplex<f32>>

// fold-sine
%r = stablehlo.sine %a : tensor<2xf32>

// fold-sine
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.sine %a : tensor<2xcomplex<f32>>

// fold-sqrt
%r = stablehlo.sqrt %a : tensor<2xf32>

// fold-sqrt
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.sqrt %a : tensor<2xcomplex<f32>>

// fold-tan
%r = stablehlo.tan %a : tensor<2xf32>

// fold-tan
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.tan %a : tensor<2xcomplex<f32>>

// fold-tanh
%r = stablehlo.tanh %a : tensor<2xf32>

// fold-tanh
%a = stablehlo.constant dense<[(0.5, 0.0), (2.0, 0.0)]> : tensor<2xcomplex<f32>>
            %r = stablehlo.tanh %a : tensor<2xcomplex<f32>>

// fold-transpose
%x = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
            %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<?x2xi32>

// fold-transpose
%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xi32>) -> tensor<2x2xi32>

// fold-transpose
%x = stablehlo.constant dense<[[(1.0, 0.0), (2.0, 0.0)], [(3.0, 0.0), (4.0, 0.0)]]> : tensor<2x2xcomplex<f32>>
            %r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xcomplex<f32>>) -> tensor<2x2xcomplex<f32>>

// fold-xor
%b = stablehlo.constant dense<[3, 2]> : tensor<2xi32>
            %r = stablehlo.xor %a, %b : tensor<2xi32>

// fold-xor
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %r = stablehlo.xor %a, %b : tensor<2xi32>

// reduce-to-constant
%c = stablehlo.constant dense<5> : tensor<i32>
            %r = stablehlo.reduce(%x init: %i) across dimensions = [0]
              : (tensor<0x3xi32>, tensor<i32>) -> tensor<3xi32>
              reducer(%a: tensor<i32>, %b: tensor<i32>) {
              stablehlo.return %c : tensor<i32>
            }

// get-dimension-size-static
%r = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x?xf32>) -> tensor<i32>

// add-constant-left
%c = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.add %c, %c : tensor<2xi32>

// and-constant-left
%c = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.and %c, %c : tensor<2xi32>

// maximum-constant-left
%c = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.maximum %c, %c : tensor<2xi32>

// minimum-constant-left
%c = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.minimum %c, %c : tensor<2xi32>

// multiply-constant-left
%c = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.multiply %c, %c : tensor<2xi32>

// or-constant-left
%c = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.or %c, %c : tensor<2xi32>

// xor-constant-left
%c = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.xor %c, %c : tensor<2xi32>

// add-zero-float
%zero = stablehlo.constant dense<0> : tensor<2xi32>
            %r = stablehlo.add %x, %zero : tensor<2xi32>

// add-zero
%zero = stablehlo.constant dense<0.0> : tensor<2xf32>
            %r = stablehlo.add %x, %zero : tensor<2xf32>

// subtract-zero
%zero = stablehlo.constant dense<0.0> : tensor<2xf32>
            %r = stablehlo.subtract %x, %zero : tensor<2xf32>

// subtract-zero-float
%zero = stablehlo.constant dense<0> : tensor<2xi32>
            %r = stablehlo.subtract %x, %zero : tensor<2xi32>

// subtract-same
%r = stablehlo.subtract %x, %x : tensor<2xf32>

// subtract-same
%r = stablehlo.subtract %x, %x : tensor<?xi32>

// multiply-zero
%zero = stablehlo.constant dense<0.0> : tensor<2xf32>
            %r = stablehlo.multiply %x, %zero : tensor<2xf32>

// multiply-zero
%zero = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.multiply %x, %zero : tensor<2xi32>

// and-zero
%zero = stablehlo.constant dense<1> : tensor<2xi32>
            %r = stablehlo.and %x, %zero : tensor<2xi32>

// or-ones
%ones = stablehlo.constant dense<2> : tensor<2xi32>
            %r = stablehlo.or %x, %ones : tensor<2xi32>

// xor-same
%r = stablehlo.xor %x, %x : tensor<?xi32>

// convert-same-type
%r = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xi32>

// compare-ne-false
%c = stablehlo.constant dense<0> : tensor<2xi32>
%r = stablehlo.compare NE, %x, %c, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-eq-true
%c = stablehlo.constant dense<1> : tensor<2xi32>
%r = stablehlo.compare EQ, %x, %c, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-same-true
%r = stablehlo.compare NE, %x, %x, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-same-true
%r = stablehlo.compare EQ, %x, %x, FLOAT : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-same-true
%r = stablehlo.compare EQ, %x, %x, SIGNED : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>

// compare-same-false
%r = stablehlo.compare EQ, %x, %x, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-same-false
%r = stablehlo.compare NE, %x, %x, FLOAT : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-same-false
%r = stablehlo.compare NE, %x, %x, SIGNED : (tensor<?xi32>, tensor<?xi32>) -> tensor<?xi1>

// compare-eq-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare EQ, %c, %x, FLOAT
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-eq-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare EQ, %c, %c, SIGNED
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-ne-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare NE, %c, %x, FLOAT
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-ne-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare NE, %c, %c, SIGNED
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-ge-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare GE, %c, %x, FLOAT
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-ge-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare GE, %c, %c, SIGNED
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-gt-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare GT, %c, %x, FLOAT
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-gt-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare GT, %c, %c, SIGNED
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-le-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare LE, %c, %x, FLOAT
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-le-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare LE, %c, %c, SIGNED
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-lt-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare LT, %c, %x, FLOAT
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// compare-lt-constant-left
%c = stablehlo.constant dense<5> : tensor<2xi32>
            %r = stablehlo.compare LT, %c, %c, SIGNED
              : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>

// complex-of-parts
%a = stablehlo.real %x : (tensor<?xcomplex<f32>>) -> tensor<?xf32>
%b = stablehlo.imag %x : (tensor<?xcomplex<f32>>) -> tensor<?xf32>
%r = "stablehlo.complex"(%a, %b) : (tensor<?xf32>, tensor<?xf32>) -> tensor<2xcomplex<f32>>

// select-constants
%x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
            %y = stablehlo.constant dense<3.0> : tensor<2xf32>
            %r = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xf32>

// select-constants
%p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
            %y = stablehlo.constant dense<3.0> : tensor<2xf32>
            %r = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xf32>

// select-constants
%p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
            %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
            %r = stablehlo.select %p, %x, %y : tensor<2xi1>, tensor<2xf32>

// select-of-broadcast-not
%n = stablehlo.not %p : tensor<i1>
%b = stablehlo.broadcast_in_dim %n, dims = [] : (tensor<i1>) -> tensor<2xi1>
%t = stablehlo.select %b, %y, %x : tensor<2xi1>, tensor<2xf32>
%r = stablehlo.select %b, %x, %y : tensor<2xi1>, tensor<2xf32>

// reverse-nothing
%r = stablehlo.reverse %x, dims = [0] : tensor<2xf32>

// reverse-empty
%r = stablehlo.reverse %x, dims = [0] : tensor<2xf32>

// reverse-size-one
%r = stablehlo.reverse %x, dims = [0] : tensor<1x?xf32>

// reverse-size-one
%r = stablehlo.reverse %x, dims = [1] : tensor<1x3xf32>

// reverse-splat
%x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
%r = stablehlo.reverse %x, dims = [0] : tensor<2xi32>

// broadcast-same-type
%r = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<?x3xf32>) -> tensor<2x3xf32>

// broadcast-same-type
%r = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>

// broadcast-broadcast
%y = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<0xf32>) -> tensor<0x3xf32>
            %r = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<0x3xf32>) -> tensor<4x0x3xf32>

// broadcast-to-reshape
%r = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>

// broadcast-to-reshape
%r = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<2xf32>) -> tensor<2x2xf32>

// broadcast-to-transpose
%r = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<1x2xf32>) -> tensor<2x3xf32>

// broadcast-to-transpose
%r = stablehlo.broadcast_in_dim %x, dims = [2, 0] : (tensor<2x3xf32>) -> tensor<3x1x2xf32>

// reshape-same-type
%r = stablehlo.reshape %x : (tensor<?x3xf32>) -> tensor<2x3xf32>

// transpose-nothing
%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>

// transpose-nothing
%r = stablehlo.transpose %x, dims = [0, 1] : (tensor<?x3xf32>) -> tensor<2x3xf32>

// transpose-to-reshape
%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<1x3xf32>) -> tensor<3x?xf32>

// transpose-to-reshape
%r = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>

// slice-everything
%r = stablehlo.slice %x [0:2, 0:3] : (tensor<?x3xf32>) -> tensor<?x3xf32>

// slice-everything
%r = stablehlo.slice %x [0:2, 0:3] : (tensor<2x3xf32>) -> tensor<?x3xf32>

// concatenate-one
%r = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2xf32>, tensor<0xf32>) -> tensor<2xf32>

// concatenate-one
%r = stablehlo.concatenate %x, dim = 0 : (tensor<?xf32>) -> tensor<2xf32>

// pad-nothing
%r = stablehlo.pad %x, %v, low = [0], high = [0], interior = [0]
              : (tensor<?xf32>, tensor<f32>) -> tensor<2xf32>

// pad-nothing
%r = stablehlo.pad %x, %z, low = [1], high = [-1], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>

// pad-empty
%r = stablehlo.pad %x, %z, low = [1], high = [0], interior = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<3xf32>

// pad-empty
%r = stablehlo.pad %x, %v, low = [1], high = [2], interior = [0]
              : (tensor<0xf32>, tensor<f32>) -> tensor<?xf32>

// iota-size-one
%r = stablehlo.iota dim = 0 : tensor<3x1xf32>

// iota-to-broadcast
%r = stablehlo.iota dim = 0 : tensor<3xf32>

// gather-to-slice
%i = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
            %r = "stablehlo.gather"(%x, %i) <{
              dimension_numbers = #stablehlo.gather<
                offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>,
              slice_sizes = array<i64: 1, 2>}> : (tensor<?x5xf32>, tensor<2xi32>) -> tensor<2xf32>

// gather-to-slice
%r = "stablehlo.gather"(%x, %i) <{
              dimension_numbers = #stablehlo.gather<
                offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0, 1]>,
              slice_sizes = array<i64: 1, 2>}> : (tensor<3x5xf32>, tensor<2xi32>) -> tensor<2xf32>

// dynamic-broadcast-static
%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<?xf32>, tensor<2xi64>) -> tensor<3x2xf32>

// dynamic-broadcast-static
%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<2xf32>, tensor<2xi64>) -> tensor<3x?xf32>

// dynamic-broadcast-constant-shape
%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<?xf32>, tensor<2xi64>) -> tensor<?x2xf32>

// dynamic-broadcast-constant-shape
%r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<2xf32>, tensor<2xi64>) -> tensor<?x2xf32>

// dynamic-broadcast-nonexpanding
%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
%r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 1, 0>, known_nonexpanding_dimensions = array<i64: 0, 1>}> : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<?x?xf32>

// dynamic-broadcast-nonexpanding
%s = stablehlo.constant dense<[3, 7]> : tensor<2xi64>
%r = "stablehlo.dynamic_broadcast_in_dim"(%x, %s) <{broadcast_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 0>}> : (tensor<3xf32>, tensor<2xi64>) -> tensor<?x?xf32>

// dynamic-broadcast-of-reshape
%s = stablehlo.constant dense<[2, 2]> : tensor<2xi64>
%y = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
%r = stablehlo.dynamic_broadcast_in_dim %y, %s, dims = [1, 0] : (tensor<?x?xf32>, tensor<2xi64>) -> tensor<?x?xf32>

// dynamic-broadcast-to-own-shape
%s = shape.shape_of %x : tensor<2x2xf32> -> tensor<2xindex>
%r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1, 0] : (tensor<2x2xf32>, tensor<2xindex>) -> tensor<2x2xf32>

// dynamic-broadcast-to-own-shape
%s = shape.shape_of %x : tensor<2xf32> -> tensor<1xindex>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0]
              : (tensor<2xf32>, tensor<1xindex>) -> tensor<?xf32>

// dynamic-pad-constant
%low = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
            %inside = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
            %r = stablehlo.dynamic_pad %x, %v, %other_low, %low, %inside
              : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x5xf32>

// dynamic-pad-constant
%low = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
            %inside = stablehlo.constant dense<[1, 0]> : tensor<2xi64>
            %r = stablehlo.dynamic_pad %x, %v, %low, %other_low, %inside
              : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x5xf32>

// dynamic-pad-constant
%low = stablehlo.constant dense<[0, 1]> : tensor<2xi64>
            %r = stablehlo.dynamic_pad %x, %v, %low, %low, %inside
              : (tensor<2x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<3x5xf32>

// dynamic-iota-static
%s = stablehlo.constant dense<[4]> : tensor<1xi64>
            %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xi32>

// dynamic-iota-to-broadcast
%r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<?xf32>

// dynamic-reshape-static
%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<3x?xf32>

// shape-of-dynamic-reshape
%s = shape.const_shape [3, 2] : tensor<2xindex>
            %y = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xindex>) -> tensor<?x?xf32>
            %r = shape.shape_of %y : tensor<?x?xf32> -> tensor<?xindex>

// dynamic-slice-constant
%i = stablehlo.constant dense<7> : tensor<i64>
            %r = stablehlo.dynamic_slice %x, %i, sizes = [2] : (tensor<?xf32>, tensor<i64>) -> tensor<2xf32>

// real-dynamic-slice-constant
%limit = stablehlo.constant dense<[4]> : tensor<1xi64>
            %strides = stablehlo.constant dense<[2]> : tensor<1xi64>
            %r = stablehlo.real_dynamic_slice %x, %start, %limit, %strides
              : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>

// real-dynamic-slice-constant
%start = stablehlo.constant dense<[1]> : tensor<1xi64>
            %strides = stablehlo.constant dense<[2]> : tensor<1xi64>
            %r = stablehlo.real_dynamic_slice %x, %start, %limit, %strides
              : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>

// real-dynamic-slice-constant
%start = stablehlo.constant dense<[1]> : tensor<1xi64>
            %limit = stablehlo.constant dense<[4]> : tensor<1xi64>
            %r = stablehlo.real_dynamic_slice %x, %start, %limit, %strides
              : (tensor<5xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2xf32>

// dynamic-update-slice-empty
%r = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<2xf32>, tensor<i32>) -> tensor<4xf32>

// dynamic-update-slice-whole
%i = stablehlo.constant dense<0> : tensor<i64>
            %r = stablehlo.dynamic_update_slice %x, %u, %i
              : (tensor<?xf32>, tensor<?xf32>, tensor<i64>) -> tensor<?xf32>

// dynamic-update-slice-whole
%i = stablehlo.constant dense<0> : tensor<i64>
            %r = stablehlo.dynamic_update_slice %x, %u, %i
              : (tensor<4xf32>, tensor<?xf32>, tensor<i64>) -> tensor<4xf32>

// dynamic-update-slice-whole
%i = stablehlo.constant dense<1> : tensor<i64>
            %r = stablehlo.dynamic_update_slice %x, %u, %i
              : (tensor<4xf32>, tensor<4xf32>, tensor<i64>) -> tensor<4xf32>

// reduce-empty
%r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>

// dynamic-broadcast-constant
%s = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<?xf32>, tensor<2xi64>) -> tensor<3x4xf32>

// dynamic-broadcast-constant
%s = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
            %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>

// dynamic-broadcast-constant
%r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1]
              : (tensor<4xf32>, tensor<2xi64>) -> tensor<3x4xf32>

// dynamic-conv-constant
%r = "stablehlo.dynamic_conv"(%x, %w, %padding) <{batch_group_count = 1 : i64,
              dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
              feature_group_count = 1 : i64}>
              : (tensor<1x4x4x1xf32>, tensor<3x3x1x1xf32>, tensor<2x2xi32>) -> tensor<1x4x4x1xf32>

// dynamic-iota-constant
%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
            %r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<?x3xi32>

// dynamic-iota-constant
%r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi32>

// dynamic-iota-constant
%s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
            %r = stablehlo.dynamic_iota %s, dim = 1 : (tensor<2xi64>) -> tensor<2x3xi1>

// dynamic-reshape-constant
%s = stablehlo.constant dense<[3, 2]> : tensor<2xi64>
            %r = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<3x?xf32>

// dynamic-reshape-constant
%r = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi64>) -> tensor<3x2xf32>

// gather-batching
%r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<4x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>

// gather-batching
%r = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<
              offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0],
              start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
              slice_sizes = array<i64: 1, 1, 4>}>
              : (tensor<3x2x4xf32>, tensor<3x5x?xi32>) -> tensor<3x5x4xf32>

// scatter-batching
%r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
^bb0(%a: tensor<f32>, %b: tensor<f32>):
  stablehlo.return %b : tensor<f32>
}) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>

// scatter-batching
%r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
              update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0],
              scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1],
              index_vector_dim = 2>}> ({
            ^bb0(%a: tensor<i32>, %b: tensor<i32>):
              %s = stablehlo.add %a, %b : tensor<i32>
              stablehlo.return %s : tensor<i32>
            }) : (tensor<3x2x4xi32>, tensor<3x5x?xi32>, tensor<3x5x4xi32>) -> tensor<3x2x4xi32>

// tan-to-quotient
%r = stablehlo.tan %x : tensor<2xcomplex<f32>>

// tan-of-complex
%r = stablehlo.tan %x : tensor<2xf32>

// tan-of-complex
%r = stablehlo.tan %x : tensor<?xcomplex<f32>>

// complex-exponential
%r = stablehlo.exponential %z : tensor<2xf32>

// complex-log
%r = stablehlo.log %z : tensor<2xf32>

// complex-log-plus-one
%r = stablehlo.log_plus_one %z : tensor<2xf32>

// complex-sqrt
%r = stablehlo.sqrt %z : tensor<2xf32>

// dot-to-dot-general
%r = stablehlo.dot %x, %y : (tensor<2x3x!quant.uniform<i8:f32, 0.5>>, tensor<3x4x!quant.uniform<i8:f32, 0.25:3>>) -> tensor<2x4x!quant.uniform<i8:f32, 0.5>>

// dot-to-dot-general
%r = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3x4x!quant.uniform<i8:f32:0, {0.5, 0.25, 0.125}>>) -> tensor<2x4xf32>

// batch-norm-constant
%scale = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf32>
%offset = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
%mean = stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf32>
%variance = stablehlo.constant dense<[1.5, 4.0]> : tensor<2xf32>
%r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
  <{epsilon = 0.25 : f32, feature_index = 1 : i64}>
  : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  -> tensor<3x?xf32>

// batch-norm-constant
%scale = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf8E4M3FN>
%offset = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf8E4M3FN>
%mean = stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf8E4M3FN>
%variance = stablehlo.constant dense<[1.5, 4.0]> : tensor<2xf8E4M3FN>
%r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
  <{epsilon = 0.25 : f32, feature_index = 1 : i64}>
  : (tensor<3x2xf8E4M3FN>, tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>)
  -> tensor<3x2xf8E4M3FN>

// batch-norm-constant
%offset = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
%mean = stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf32>
%variance = stablehlo.constant dense<[1.5, 4.0]> : tensor<2xf32>
%r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
  <{epsilon = 0.25 : f32, feature_index = 1 : i64}>
  : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  -> tensor<3x2xf32>

// batch-norm-constant
%scale = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf32>
%mean = stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf32>
%variance = stablehlo.constant dense<[1.5, 4.0]> : tensor<2xf32>
%r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
  <{epsilon = 0.25 : f32, feature_index = 1 : i64}>
  : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  -> tensor<3x2xf32>

// batch-norm-constant
%scale = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf32>
%offset = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
%variance = stablehlo.constant dense<[1.5, 4.0]> : tensor<2xf32>
%r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
  <{epsilon = 0.25 : f32, feature_index = 1 : i64}>
  : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  -> tensor<3x2xf32>

// batch-norm-constant
%scale = stablehlo.constant dense<[0.5, 1.0]> : tensor<2xf32>
%offset = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
%mean = stablehlo.constant dense<[0.0, 3.0]> : tensor<2xf32>
%r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
  <{epsilon = 0.25 : f32, feature_index = 1 : i64}>
  : (tensor<3x2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  -> tensor<3x2xf32>

// batch-norm-constant
%scale = "stablehlo.constant"() <{value = dense<[1, 3]> : tensor<2xi16>}> : () -> tensor<2x!quant.uniform<i16:f32, 0.5>>
%offset = "stablehlo.constant"() <{value = dense<[1, 3]> : tensor<2xi16>}> : () -> tensor<2x!quant.uniform<i16:f32, 0.5>>
%mean = "stablehlo.constant"() <{value = dense<[1, 3]> : tensor<2xi16>}> : () -> tensor<2x!quant.uniform<i16:f32, 0.5>>
%variance = "stablehlo.constant"() <{value = dense<[1, 3]> : tensor<2xi16>}> : () -> tensor<2x!quant.uniform<i16:f32, 0.5>>
%r = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance)
  <{epsilon = 0.25 : f32, feature_index = 1 : i64}>
  : (tensor<3x2x!quant.uniform<i16:f32, 0.5>>, tensor<2x!quant.uniform<i16:f32, 0.5>>, tensor<2x!quant.uniform<i16:f32, 0.5>>, tensor<2x!quant.uniform<i16:f32, 0.5>>, tensor<2x!quant.uniform<i16:f32, 0.5>>)
  -> tensor<3x2x!quant.uniform<i16:f32, 0.5>>

// product-times-constant
%w = stablehlo.constant dense<[[[[0.5, -0.25]]]]> : tensor<1x1x1x2xf32>
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x3x2xf32>
%fs = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf32>
%f = stablehlo.broadcast_in_dim %fs, dims = [3]
  : (tensor<2xf32>) -> tensor<1x2x3x2xf32>
%r = stablehlo.multiply %y, %y : tensor<1x2x3x2xf32>

// product-times-constant
%w = stablehlo.constant dense<[[[[(0.5, 0.0), (-0.25, 0.0)]]]]> : tensor<1x1x1x2xcomplex<f32>>
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xcomplex<f32>>, tensor<1x1x1x2xcomplex<f32>>) -> tensor<1x2x3x2xcomplex<f32>>
%fs = stablehlo.constant dense<[(0.5, 0.0), (-1.0, 0.0)]> : tensor<2xcomplex<f32>>
%f = stablehlo.broadcast_in_dim %fs, dims = [3]
  : (tensor<2xcomplex<f32>>) -> tensor<1x2x3x2xcomplex<f32>>
%r = stablehlo.multiply %y, %f : tensor<1x2x3x2xcomplex<f32>>

// product-times-constant
%w = stablehlo.constant dense<[[[[0.5, -0.25]]]]> : tensor<1x1x1x2xf8E4M3FN>
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xf8E4M3FN>, tensor<1x1x1x2xf8E4M3FN>) -> tensor<1x2x3x2xf8E4M3FN>
%fs = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf8E4M3FN>
%f = stablehlo.broadcast_in_dim %fs, dims = [3]
  : (tensor<2xf8E4M3FN>) -> tensor<1x2x3x2xf8E4M3FN>
%r = stablehlo.multiply %y, %f : tensor<1x2x3x2xf8E4M3FN>

// product-plus-constant-times-constant
%w = stablehlo.constant dense<[[[[0.5, -0.25]]]]> : tensor<1x1x1x2xf32>
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x3x2xf32>
%bs = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
%b = stablehlo.broadcast_in_dim %bs, dims = [3]
  : (tensor<2xf32>) -> tensor<1x2x3x2xf32>
%z = stablehlo.subtract %y, %y : tensor<1x2x3x2xf32>
%fs = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf32>
%f = stablehlo.broadcast_in_dim %fs, dims = [3]
  : (tensor<2xf32>) -> tensor<1x2x3x2xf32>
%r = stablehlo.multiply %z, %f : tensor<1x2x3x2xf32>

// product-plus-constant-times-constant
%w = stablehlo.constant dense<[[[[0.5, -0.25]]]]> : tensor<1x1x1x2xf32>
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x3x2xf32>
%bs = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
%b = stablehlo.broadcast_in_dim %bs, dims = [3]
  : (tensor<2xf32>) -> tensor<1x2x3x2xf32>
%z = stablehlo.subtract %y, %b : tensor<1x2x3x2xf32>
%fs = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf32>
%f = stablehlo.broadcast_in_dim %fs, dims = [3]
  : (tensor<2xf32>) -> tensor<1x2x3x2xf32>
%r = stablehlo.multiply %z, %z : tensor<1x2x3x2xf32>

// product-plus-constant-times-constant
%w = stablehlo.constant dense<[[[[(0.5, 0.0), (-0.25, 0.0)]]]]> : tensor<1x1x1x2xcomplex<f32>>
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xcomplex<f32>>, tensor<1x1x1x2xcomplex<f32>>) -> tensor<1x2x3x2xcomplex<f32>>
%bs = stablehlo.constant dense<[(2.0, 0.0), (3.0, 0.0)]> : tensor<2xcomplex<f32>>
%b = stablehlo.broadcast_in_dim %bs, dims = [3]
  : (tensor<2xcomplex<f32>>) -> tensor<1x2x3x2xcomplex<f32>>
%z = stablehlo.subtract %y, %b : tensor<1x2x3x2xcomplex<f32>>
%fs = stablehlo.constant dense<[(0.5, 0.0), (-1.0, 0.0)]> : tensor<2xcomplex<f32>>
%f = stablehlo.broadcast_in_dim %fs, dims = [3]
  : (tensor<2xcomplex<f32>>) -> tensor<1x2x3x2xcomplex<f32>>
%r = stablehlo.multiply %z, %f : tensor<1x2x3x2xcomplex<f32>>

// product-plus-constant-times-constant
%w = stablehlo.constant dense<[[[[0.5, -0.25]]]]> : tensor<1x1x1x2xf8E4M3FN>
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xf8E4M3FN>, tensor<1x1x1x2xf8E4M3FN>) -> tensor<1x2x3x2xf8E4M3FN>
%bs = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf8E4M3FN>
%b = stablehlo.broadcast_in_dim %bs, dims = [3]
  : (tensor<2xf8E4M3FN>) -> tensor<1x2x3x2xf8E4M3FN>
%z = stablehlo.subtract %y, %b : tensor<1x2x3x2xf8E4M3FN>
%fs = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf8E4M3FN>
%f = stablehlo.broadcast_in_dim %fs, dims = [3]
  : (tensor<2xf8E4M3FN>) -> tensor<1x2x3x2xf8E4M3FN>
%r = stablehlo.multiply %z, %f : tensor<1x2x3x2xf8E4M3FN>

// product-plus-constants
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xf32>, tensor<1x1x1x2xf32>) -> tensor<1x2x3x2xf32>
%bs = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf32>
%b = stablehlo.broadcast_in_dim %bs, dims = [3]
  : (tensor<2xf32>) -> tensor<1x2x3x2xf32>
%z = stablehlo.subtract %y, %b : tensor<1x2x3x2xf32>
%cs = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf32>
%c = stablehlo.broadcast_in_dim %cs, dims = [3]
  : (tensor<2xf32>) -> tensor<1x2x3x2xf32>
%r = stablehlo.add %z, %z : tensor<1x2x3x2xf32>

// product-plus-constants
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xi32>, tensor<1x1x1x2xi32>) -> tensor<1x2x3x2xi32>
%bs = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
%b = stablehlo.broadcast_in_dim %bs, dims = [3]
  : (tensor<2xi32>) -> tensor<1x2x3x2xi32>
%z = stablehlo.subtract %y, %b : tensor<1x2x3x2xi32>
%cs = stablehlo.constant dense<[0, -1]> : tensor<2xi32>
%c = stablehlo.broadcast_in_dim %cs, dims = [3]
  : (tensor<2xi32>) -> tensor<1x2x3x2xi32>
%r = stablehlo.add %z, %c : tensor<1x2x3x2xi32>

// product-plus-constants
%y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
  window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x2x3x1xf8E4M3FN>, tensor<1x1x1x2xf8E4M3FN>) -> tensor<1x2x3x2xf8E4M3FN>
%bs = stablehlo.constant dense<[2.0, 3.0]> : tensor<2xf8E4M3FN>
%b = stablehlo.broadcast_in_dim %bs, dims = [3]
  : (tensor<2xf8E4M3FN>) -> tensor<1x2x3x2xf8E4M3FN>
%z = stablehlo.subtract %y, %b : tensor<1x2x3x2xf8E4M3FN>
%cs = stablehlo.constant dense<[0.5, -1.0]> : tensor<2xf8E4M3FN>
%c = stablehlo.broadcast_in_dim %cs, dims = [3]
  : (tensor<2xf8E4M3FN>) -> tensor<1x2x3x2xf8E4M3FN>
%r = stablehlo.add %z, %c : tensor<1x2x3x2xf8E4M3FN>

// factor-of-lhs
%fs = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf32>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
%s = stablehlo.multiply %x, %f : tensor<2x3xf32>
%w = stablehlo.constant dense<[[0.5, -1.0], [2.0, 0.25], [1.0, 1.5]]> : tensor<3x2xf32>
%n = stablehlo.negate %s : tensor<2x3xf32>
%m = stablehlo.dot_general %n, %s, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
%p = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
%r = stablehlo.add %p, %m : tensor<2x2xf32>

// factor-of-lhs
%fs = stablehlo.constant dense<[1, -1, 2]> : tensor<3xi32>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
%s = stablehlo.multiply %x, %f : tensor<2x3xi32>
%w = stablehlo.constant dense<[[1, 2], [2, 1], [1, 3]]> : tensor<3x2xi32>
%r = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>

// factor-of-lhs
%fs = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf8E4M3FN>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xf8E4M3FN>) -> tensor<2x3xf8E4M3FN>
%s = stablehlo.multiply %x, %f : tensor<2x3xf8E4M3FN>
%w = stablehlo.constant dense<[[0.5, -1.0], [2.0, 0.25], [1.0, 1.5]]> : tensor<3x2xf8E4M3FN>
%r = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<2x3xf8E4M3FN>, tensor<3x2xf8E4M3FN>) -> tensor<2x2xf8E4M3FN>

// factor-of-rhs
%fs = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf32>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
%s = stablehlo.multiply %x, %f : tensor<2x3xf32>
%w = stablehlo.constant dense<[[0.5, -1.0, 2.0], [0.25, 1.0, 1.5]]> : tensor<2x3xf32>
%n = stablehlo.negate %s : tensor<2x3xf32>
%m = stablehlo.dot_general %n, %s, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
%p = stablehlo.dot_general %w, %s, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
%r = stablehlo.add %p, %m : tensor<2x2xf32>

// factor-of-rhs
%fs = stablehlo.constant dense<[1, -1, 2]> : tensor<3xi32>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
%s = stablehlo.multiply %x, %f : tensor<2x3xi32>
%w = stablehlo.constant dense<[[1, 2, 2], [2, 1, 3]]> : tensor<2x3xi32>
%r = stablehlo.dot_general %w, %s, contracting_dims = [1] x [1] : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>

// factor-of-rhs
%fs = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf8E4M3FN>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xf8E4M3FN>) -> tensor<2x3xf8E4M3FN>
%s = stablehlo.multiply %x, %f : tensor<2x3xf8E4M3FN>
%w = stablehlo.constant dense<[[0.5, -1.0, 2.0], [0.25, 1.0, 1.5]]> : tensor<2x3xf8E4M3FN>
%r = stablehlo.dot_general %w, %s, contracting_dims = [1] x [1] : (tensor<2x3xf8E4M3FN>, tensor<2x3xf8E4M3FN>) -> tensor<2x2xf8E4M3FN>

// term-of-lhs
%fs = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf32>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
%s = stablehlo.subtract %x, %f : tensor<2x3xf32>
%w = stablehlo.constant dense<[[0.5, -1.0], [2.0, 0.25], [1.0, 1.5]]> : tensor<3x2xf32>
%n = stablehlo.negate %s : tensor<2x3xf32>
%m = stablehlo.dot_general %n, %s, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
%p = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
%r = stablehlo.add %p, %m : tensor<2x2xf32>

// term-of-lhs
%fs = stablehlo.constant dense<[1, -1, 2]> : tensor<3xi32>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
%s = stablehlo.subtract %x, %f : tensor<2x3xi32>
%w = stablehlo.constant dense<[[1, 2], [2, 1], [1, 3]]> : tensor<3x2xi32>
%r = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<2x3xi32>, tensor<3x2xi32>) -> tensor<2x2xi32>

// term-of-lhs
%fs = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf8E4M3FN>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xf8E4M3FN>) -> tensor<2x3xf8E4M3FN>
%s = stablehlo.subtract %x, %f : tensor<2x3xf8E4M3FN>
%w = stablehlo.constant dense<[[0.5, -1.0], [2.0, 0.25], [1.0, 1.5]]> : tensor<3x2xf8E4M3FN>
%r = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<2x3xf8E4M3FN>, tensor<3x2xf8E4M3FN>) -> tensor<2x2xf8E4M3FN>

// term-of-rhs
%fs = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf32>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
%s = stablehlo.subtract %x, %f : tensor<2x3xf32>
%w = stablehlo.constant dense<[[0.5, -1.0, 2.0], [0.25, 1.0, 1.5]]> : tensor<2x3xf32>
%n = stablehlo.negate %s : tensor<2x3xf32>
%m = stablehlo.dot_general %n, %s, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
%p = stablehlo.dot_general %w, %s, contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
%r = stablehlo.add %p, %m : tensor<2x2xf32>

// term-of-rhs
%fs = stablehlo.constant dense<[1, -1, 2]> : tensor<3xi32>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xi32>) -> tensor<2x3xi32>
%s = stablehlo.subtract %x, %f : tensor<2x3xi32>
%w = stablehlo.constant dense<[[1, 2, 2], [2, 1, 3]]> : tensor<2x3xi32>
%r = stablehlo.dot_general %w, %s, contracting_dims = [1] x [1] : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x2xi32>

// term-of-rhs
%fs = stablehlo.constant dense<[0.5, -1.0, 2.0]> : tensor<3xf8E4M3FN>
%f = stablehlo.broadcast_in_dim %fs, dims = [1] : (tensor<3xf8E4M3FN>) -> tensor<2x3xf8E4M3FN>
%s = stablehlo.subtract %x, %f : tensor<2x3xf8E4M3FN>
%w = stablehlo.constant dense<[[0.5, -1.0, 2.0], [0.25, 1.0, 1.5]]> : tensor<2x3xf8E4M3FN>
%r = stablehlo.dot_general %w, %s, contracting_dims = [1] x [1] : (tensor<2x3xf8E4M3FN>, tensor<2x3xf8E4M3FN>) -> tensor<2x2xf8E4M3FN>

// convolution-of-factor-and-term
%f = stablehlo.constant dense<2> : tensor<1x3x1xi32>
%b = stablehlo.constant dense<2> : tensor<1x3x1xi32>
%w = stablehlo.constant dense<[[[1, 2]], [[1, 2]]]> : tensor<2x1x2xi32>
%m = stablehlo.multiply %x, %f : tensor<1x3x1xi32>
%s = stablehlo.subtract %m, %b : tensor<1x3x1xi32>
%r = stablehlo.convolution(%s, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
  window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x3x1xi32>, tensor<2x1x2xi32>) -> tensor<1x3x2xi32>

// convolution-of-factor-and-term
%f = stablehlo.constant dense<0.5> : tensor<1x3x1xf8E4M3FN>
%b = stablehlo.constant dense<2.0> : tensor<1x3x1xf8E4M3FN>
%w = stablehlo.constant dense<[[[0.5, -0.25]], [[1.0, 2.0]]]> : tensor<2x1x2xf8E4M3FN>
%m = stablehlo.multiply %x, %f : tensor<1x3x1xf8E4M3FN>
%s = stablehlo.subtract %m, %b : tensor<1x3x1xf8E4M3FN>
%r = stablehlo.convolution(%s, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
  window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x3x1xf8E4M3FN>, tensor<2x1x2xf8E4M3FN>) -> tensor<1x3x2xf8E4M3FN>

// convolution-of-factor-and-term
%f = stablehlo.constant dense<0.5> : tensor<1x3x1xf32>
%b = stablehlo.constant dense<2.0> : tensor<1x3x1xf32>
%w = stablehlo.constant dense<[[[0.5, -0.25]], [[1.0, 2.0]]]> : tensor<2x1x2xf32>
%m = stablehlo.multiply %x, %f : tensor<1x3x1xf32>
%s = stablehlo.subtract %m, %b : tensor<1x3x1xf32>
%p = stablehlo.convolution(%s, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
  window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x3x1xf32>, tensor<2x1x2xf32>) -> tensor<1x3x2xf32>
%n = stablehlo.slice %m [0:1, 0:3, 0:1] : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
%q = stablehlo.broadcast_in_dim %n, dims = [0, 1, 2] : (tensor<1x3x1xf32>) -> tensor<1x3x2xf32>
%r = stablehlo.add %p, %q : tensor<1x3x2xf32>

// convolution-of-factor-and-term
%f = stablehlo.constant dense<0.5> : tensor<1x3x1xf32>
%b = stablehlo.constant dense<2.0> : tensor<1x3x1xf32>
%w = stablehlo.constant dense<[[[0.5, -0.25]], [[1.0, 2.0]]]> : tensor<2x1x2xf32>
%m = stablehlo.multiply %x, %f : tensor<1x3x1xf32>
%s = stablehlo.subtract %m, %b : tensor<1x3x1xf32>
%p = stablehlo.convolution(%s, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
  window = {pad = [[1, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
  : (tensor<1x3x1xf32>, tensor<2x1x2xf32>) -> tensor<1x3x2xf32>
%n = stablehlo.slice %s [0:1, 0:3, 0:1] : (tensor<1x3x1xf32>) -> tensor<1x3x1xf32>
%q = stablehlo.broadcast_in_dim %n, dims = [0, 1, 2] : (tensor<1x3x1xf32>) -> tensor<1x3x2xf32>
%r = stablehlo.add %p, %q : tensor<1x3x2xf32>

// fold-sign
%a = stablehlo.constant dense<[-3.0, 0x7FC00000]> : tensor<2xf32>
            %r = stablehlo.sign %a : tensor<2xf32>

// fold-log
%a = stablehlo.constant dense<[0.5, 0.0]> : tensor<2xf32>
            %r = stablehlo.log %a : tensor<2xf32>

// fold-rsqrt
%a = stablehlo.constant dense<[0.5, 0.0]> : tensor<2xf32>
            %r = stablehlo.rsqrt %a : tensor<2xf32>

// fold-sqrt
%a = stablehlo.constant dense<[0.5, -0.5]> : tensor<2xf32>
            %r = stablehlo.sqrt %a : tensor<2xf32>

// fold-divide
%a = stablehlo.constant dense<[5, 7]> : tensor<2xi32>
            %b = stablehlo.constant dense<[3, 0]> : tensor<2xi32>
            %r = stablehlo.divide %a, %b : tensor<2xi32>

// fold-remainder
%a = stablehlo.constant dense<[5, 7]> : tensor<2xui8>
            %b = stablehlo.constant dense<[3, 0]> : tensor<2xui8>
            %r = stablehlo.remainder %a, %b : tensor<2xui8>

// fold-convert
%a = stablehlo.constant dense<[0.5, 128.0]> : tensor<2xf32>
            %r = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>

// fold-convert
%a = stablehlo.constant dense<[0.5, -129.0]> : tensor<2xf32>
            %r = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>

// fold-convert
%a = stablehlo.constant dense<[0.5, 0x7FC00000]> : tensor<2xf32>
            %r = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>

// fold-convert
%a = stablehlo.constant dense<[0.5, -0.0]> : tensor<2xf32>
            %r = stablehlo.convert %a : (tensor<2xf32>) -> tensor<2xi8>

// fold-select
%p = stablehlo.constant dense<[true, false]> : tensor<2xi1>
            %a = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
            %b = stablehlo.constant dense<[3.0, 4.0]> : tensor<2xf32>
            %r = stablehlo.select %p, %a, %b : tensor<2xi1>, tensor<2xf32>
