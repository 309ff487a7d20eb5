func.func @f(%x: i32, %y: i32, %a: index, %c: i1, %t: tensor<2xi32>, %tc: tensor<2xi1>) {
  %7 = arith.muli %x, %y overflow<nsw,nuw> : i32
  %8 = arith.muli %x, %y overflow<none> : i32
  %9 = arith.muli %x, %y overflow<nuw, nsw> : i32
  %10 = arith.muli %x, %y {overflowFlags = #arith.overflow<nuw,nsw>} : i32
  %11 = arith.muli %x, %y {overflowFlags = #arith<overflow nuw,nsw>} : i32
  func.return
}

// -----

func.func @f(%x: i32, %y: i32, %a: index, %c: i1, %t: tensor<2xi32>, %tc: tensor<2xi1>) {
  %1 = arith.cmpi "slt", %a, %a : index
  func.return
}

// -----

func.func @f(%x: i32, %y: i32, %a: index, %c: i1, %t: tensor<2xi32>, %tc: tensor<2xi1>) {
  %1 = arith.cmpi foo, %a, %a : index
  func.return
}

// -----

func.func @f(%x: i32, %y: i32, %a: index, %c: i1, %t: tensor<?xi32>, %tc: tensor<*xi32>) {
  %1 = arith.cmpi eq, %t, %t : tensor<?xi32>
  %2 = arith.cmpi eq, %tc, %tc : tensor<*xi32>
  func.return
}

// -----

func.func @f(%x: i32, %y: i32, %a: index, %c: i1, %t: tensor<?xi32>, %tc: tensor<*xi32>) {
  %1 = shape.const_shape [] : !shape.shape
  %2 = shape.const_shape [1] : tensor<1xindex>
  %3 = shape.const_shape {a = 2 : i32} [1, 3] : tensor<2xindex>
  func.return
}

// -----

func.func @f(%x: i32, %y: i32, %a: index, %c: i1, %t: tensor<?xi32>, %tc: tensor<*xi32>) {
  %2 = shape.const_shape [1] : tensor<2xindex>
  func.return
}

// -----

func.func @f(%x: i32, %y: i32, %a: index, %c: i1, %t: tensor<?xi32>, %tc: tensor<*xi32>) {
  %2 = shape.const_shape [-1] : tensor<1xindex>
  func.return
}

// -----

func.func @f(%x: i32, %y: i32, %a: index, %c: i1, %t: tensor<?xi32>, %w: !shape.witness) {
  shape.assuming %w {
  }
  shape.assuming %w {
    %1 = arith.constant 1 : i32
  }
  shape.assuming %w -> () {
    shape.assuming_yield
  }
  %0 = shape.assuming %w -> tensor<?xi32> {
    shape.assuming_yield %t : tensor<?xi32>
  }
  func.return
}

// -----

func.func @f(%x: i32, %y: i32, %a: index, %c: i1, %t: tensor<?xi32>, %w: !shape.witness) {
  shape.assuming %w {
    shape.assuming_yield {a}
  } 
  %0 = shape.assuming %w -> (tensor<?xi32>) {
    shape.assuming_yield %t : tensor<?xi32>
  } {a = 1 : i32}
  "shape.assuming"(%w) ({
  }) : (!shape.witness) -> ()
  func.return
}

// -----

func.func @f(%x: i32, %w: !shape.witness, %t: tensor<?xi32>, %u: tensor<2xf32>) {
  shape.assuming %w {
    shape.assuming_yield
  } loc("a")
  %c0 = arith.constant 0 : index
  %d = tensor.dim %t, %c0 {a} : tensor<?xi32>
  func.return
}

// -----

func.func @f(%x: i32, %w: !shape.witness, %t: tensor<?xi32>, %u: tensor<f32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.extract %u[] : tensor<f32>
  %e = tensor.extract %t[%c0] : tensor<?xi32>
  %3 = tensor.from_elements : tensor<0xi32>
  %4 = tensor.from_elements %x, %x : tensor<1x2xi32>
  func.return
}

// -----

func.func @f(%x: i32) {
  %4 = tensor.from_elements %x, %x : tensor<1xi32>
  func.return
}

// -----

func.func @f(%x: i32) {
  %4 = tensor.from_elements %x, %x : i32
  func.return
}

// -----

func.func @f(%c: i1, %a: index, %b: index, %x: i32, %y: i32, %t: tensor<2xi32>, %tc: tensor<2xi1>, %tx: tensor<2xindex>) {
  %0 = "arith.cmpi"(%a, %b) <{predicate = 2 : i64}> : (index, index) -> i1
  %1 = "arith.cmpi"(%t, %t) <{predicate = 9 : i64}> {foo = 1 : i32} : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %2 = "arith.select"(%c, %a, %b) : (i1, index, index) -> index
  %3 = "arith.select"(%tc, %t, %t) : (tensor<2xi1>, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %4 = "arith.select"(%c, %t, %t) {a} : (i1, tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %5 = "arith.addi"(%x, %y) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
  %6 = "arith.addi"(%x, %y) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
  %7 = "arith.muli"(%x, %y) <{overflowFlags = #arith.overflow<nsw, nuw>}> {foo} : (i32, i32) -> i32
  %8 = "arith.subi"(%x, %y) : (i32, i32) -> i32
  %9 = "arith.divsi"(%x, %y) : (i32, i32) -> i32
  %10 = "arith.divui"(%x, %y) : (i32, i32) -> i32
  %11 = "arith.ceildivsi"(%x, %y) : (i32, i32) -> i32
  %12 = "arith.remsi"(%x, %y) : (i32, i32) -> i32
  %14 = "arith.constant"() <{value = 1 : index}> : () -> index
  %15 = "arith.constant"() <{value = dense<1> : tensor<2xi32>}> : () -> tensor<2xi32>
  %16 = "arith.constant"() <{value = true}> : () -> i1
  %17 = "arith.constant"() <{value = 1.0 : f32}> : () -> f32
  %18 = "arith.index_cast"(%x) : (i32) -> index
  %19 = "arith.extui"(%c) : (i1) -> i32
  %20 = "arith.trunci"(%x) : (i32) -> i8
  func.return
}

// -----

func.func @g(%s: tensor<?x3xf32>, %u: tensor<*xf32>, %i: index, %v: tensor<2xindex>, %f: f32) {
  %0 = "tensor.dim"(%s, %i) : (tensor<?x3xf32>, index) -> index
  %1 = "tensor.dim"(%u, %i) {a = 1 : i32} : (tensor<*xf32>, index) -> index
  %2 = "tensor.extract"(%v, %i) : (tensor<2xindex>, index) -> index
  %3 = "tensor.extract"(%s, %i, %i) {b} : (tensor<?x3xf32>, index, index) -> f32
  %4 = "tensor.from_elements"(%i, %i) : (index, index) -> tensor<2xindex>
  %5 = "tensor.from_elements"(%f) {c} : (f32) -> tensor<f32>
  %6 = "tensor.from_elements"() : () -> tensor<0xf32>
  %7 = "tensor.cast"(%s) : (tensor<?x3xf32>) -> tensor<2x3xf32>
  func.return
}

// -----

func.func @h(%t: tensor<?x3xf32>, %a: tensor<2xindex>, %b: tensor<?xindex>, %s: !shape.shape, %z: !shape.size, %c: i1, %w: !shape.witness, %i: index) -> tensor<2xindex> {
  %0 = "shape.const_shape"() <{shape = dense<[2, 8]> : tensor<2xindex>}> : () -> tensor<2xindex>
  %1 = "shape.const_shape"() <{shape = dense<[2, 8]> : tensor<2xindex>}> {a} : () -> !shape.shape
  %2 = "shape.const_shape"() <{shape = dense<> : tensor<0xindex>}> : () -> tensor<0xindex>
  %3 = "shape.cstr_broadcastable"(%a, %b) : (tensor<2xindex>, tensor<?xindex>) -> !shape.witness
  %4 = "shape.cstr_broadcastable"(%s, %b) {a} : (!shape.shape, tensor<?xindex>) -> !shape.witness
  %5 = "shape.assuming"(%3) ({
    "shape.assuming_yield"(%a) : (tensor<2xindex>) -> ()
  }) : (!shape.witness) -> tensor<2xindex>
  "shape.assuming"(%3) ({
    "shape.assuming_yield"() : () -> ()
  }) {a = 2 : i32} : (!shape.witness) -> ()
  %6:2 = "shape.assuming"(%3) ({
    "shape.assuming_yield"(%a, %b) {b} : (tensor<2xindex>, tensor<?xindex>) -> ()
  }) : (!shape.witness) -> (tensor<2xindex>, tensor<?xindex>)
  %7 = "shape.shape_of"(%t) : (tensor<?x3xf32>) -> tensor<2xindex>
  %8 = "shape.shape_of"(%t) : (tensor<?x3xf32>) -> !shape.shape
  %9 = "shape.num_elements"(%a) : (tensor<2xindex>) -> index
  %10 = "shape.num_elements"(%s) : (!shape.shape) -> !shape.size
  %11 = "shape.broadcast"(%a, %b) : (tensor<2xindex>, tensor<?xindex>) -> tensor<?xindex>
  %12 = "shape.broadcast"(%a, %b) <{error = "foo"}> : (tensor<2xindex>, tensor<?xindex>) -> tensor<?xindex>
  func.return %a : tensor<2xindex>
}
// -----
func.func @f(%a: index) {
  %0 = arith.addi %a, %a overflow<nuw, nsw> : index
  %1 = "arith.addi"(%a, %a) <{overflowFlags = #arith.overflow<nuw, nsw>}> : (index, index) -> index
  return
}
