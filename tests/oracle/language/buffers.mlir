func.func @f(%a: memref<4xf32>, %b: memref<?xf32>) {
  %0 = "stablehlo.while"(%a) ({
  ^bb0(%x: memref<4xi32>):
    %c = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%x: memref<4xf32>):
    stablehlo.return %x : memref<4xf32>
  }) : (memref<4xf32>) -> (memref<4xf32>)
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %p: tensor<i1>) {
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %a : memref<4xf32>
  }, {
    stablehlo.return %a : memref<4xf32>
  }) : (tensor<i1>) -> memref<?xf32>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %p: tensor<i1>) {
  %0 = stablehlo.optimization_barrier %a : memref<4xf32>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %p: tensor<i1>) {
  %0 = stablehlo.tuple %a : tuple<memref<4xf32>>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<memref<4xf32>>) -> memref<4xf32>
  func.return
}

// -----

func.func @f(%a: memref<4xf32>, %p: tensor<i1>) {
  %0 = stablehlo.add %a, %a : memref<4xf32>
  func.return
}
