#set = affine_set<(d0, d1)[s0] : (d0 - d1 + s0 >= 0, d0 == 0)>
#map = affine_map<(d0, d1) -> (d1, d0)>
#d = distinct[0]<42 : i32>
func.func @f() { "func.return"() {a = #set, b = #map, c = #d, e = affine_set<(d0) : (d0 >= 0)>, f = affine_map<(d0) -> (d0)>} : () -> ()
}

// -----

func.func @f() { "func.return"() {a = affine_map<(d0, d1) -> (d1, d0)>, b = affine_map<(d0, d1) -> (d1, d0)>, c = affine_map<(d0) -> (d0 + 1)>} : () -> ()
}

// -----

func.func @f() { "func.return"() {c = distinct[0]<42 : i32>, d = distinct[1]<unit>, e = distinct[0]<42 : i32>} : () -> ()
}

// -----

func.func @f() { "func.return"() {c = distinct[7]<"a">, d = distinct[3]<[1, 2]>} : () -> ()
}

// -----

func.func @f() { "func.return"() {c = distinct[0]<>, d = distinct[1]<>} : () -> ()
}

// -----

func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %a, %a {m = affine_map<(d0) -> (d0 * 2 + 3)>, n = affine_map<() -> ()>, o = affine_map<()[s0] -> (s0 floordiv 2, s0 mod 3, s0 ceildiv 4, -s0)>} : tensor<2xf32>
  func.return %0 : tensor<2xf32>
}

// -----

func.func @f(%a: memref<2x3xf32, affine_map<(d0, d1) -> (d1, d0)>>) {
  func.return
}

// -----

func.func @f(%a: memref<2x3xf32, strided<[1, 2], offset: ?>, 1>) {
  func.return
}

// -----

#a = "x"
#b = [#a, #a]
!t = tensor<2xf32>
func.func @f() { "func.return"() {z = #b, t = !t} : () -> ()
}

// -----

func.func @f() { "func.return"() {a = loc("x"), b = loc("f":1:2), c = 3 : si8, d = 3 : ui8, e = 0xFF : i8, f = 0x7fc00000 : f32, g = -0.0 : f32, h = @a::@b, i = array<i8>, j = array<f32: 1.0, 2.0>, k = opaque<"a", "b">} : () -> ()
}

// -----

func.func @f() { "func.return"() {a = [], b = {}, c = {x, "y z" = 2 : i32}, "d e" = 1 : index, f = (i32) -> i32, g = () -> (), h = i32, i = tuple<>, j = none, k = vector<[4]xf32>, l = memref<*xf32>} : () -> ()
}

// -----

func.func @f() { "func.return"() {a = dense<["a", "b"]> : tensor<2xi32>} : () -> ()
}

// -----

func.func @f() { "func.return"() {a = dense_resource<foo> : tensor<2xi32>, b = array<i1: true, false>, c = array<i16: -1>, d = array<f64>, e = array<i64: 1>} : () -> ()
}
{-# dialect_resources: { builtin: { foo: "0x040000000100000002000000" } } #-}
// -----
// A distinct attribute's number stands for one value.
func.func @f() attributes {a = distinct[0]<1 : i32>, b = distinct[0]<2 : i32>} {
  return
}
// -----
func.func @f() attributes {a = distinct[5]<unit>, b = distinct[3]<2 : i32>, c = distinct[5] <>, d = distinct[3]<2 : i32>} {
  return
}

// -----

func.func @f() attributes {a = dense<1> : tensor<2xi3>} {
  return
}

// -----

func.func @f() attributes {a = sparse<[[0, 1], [0x2, 3]], [1.0, 2.0e0]> : tensor<4x4xf32>} {
  return
}
