// valid
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x3xi8>, %arg1: tensor<i8>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4x3xi8>, tensor<i8>) -> tensor<3xi8>
     reducer(%arg2: tensor<i8>, %arg3: tensor<i8>)  {
      stablehlo.return %arg2 : tensor<i8>
    }
    return
  }
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<0x?x1xf64>, %arg1: tensor<2x4xf64>, %arg2: tensor<f64>, %arg3: tensor<f64>) {
  %0:2 = stablehlo.reduce(%arg0 init: %arg2), (%arg1 init: %arg3) across dimensions = [2, 1] : (tensor<0x?x1xf64>, tensor<2x4xf64>, tensor<f64>, tensor<f64>) -> (tensor<3xf64>, tensor<0xf64>)
   reducer(%arg4: tensor<f64>, %arg6: tensor<f64>) (%arg5: tensor<f64>, %arg7: tensor<f64>)  {
    stablehlo.return %arg4, %arg4 : tensor<f64>, tensor<f64>
  }
  return
}

// -----

// warns: C2
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<2x4x2x16xf16>, %arg1: tensor<f32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0, 1, 2] : (tensor<2x4x2x16xf16>, tensor<f32>) -> tensor<16xf32, #stablehlo.bounds<?>>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      stablehlo.return %arg2 : tensor<f32>
    }
    return
  }
}

// -----

// breaks: C3
module {
  func.func @main() {
    "stablehlo.reduce"() <{dimensions = array<i64>}> ({
  "stablehlo.return"() : () -> ()
}) : () -> ()
    return
  }
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<i4>, tensor<i4>) -> tensor<i4>
   reducer(%arg2: tensor<i4>, %arg3: tensor<i4>)  {
    stablehlo.return %arg2 : tensor<i4>
  }
  return
}

// -----

// breaks: C5
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x3xi8>, %arg1: tensor<i8>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.multiply across dimensions = [0, 0] : (tensor<4x3xi8>, tensor<i8>) -> tensor<3xi8>
    return
  }
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<1x4xf32>, %arg1: tensor<4xf32>) {
  %0 = "stablehlo.reduce"(%arg0, %arg1) <{dimensions = array<i64: 0>}> ({
  ^bb0(%arg2: tensor<4xf32>):
    stablehlo.return %arg2 : tensor<4xf32>
  }) : (tensor<1x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// warns: C6
func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<4xf32>) {
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
   reducer(%arg2: tensor<4xf32>, %arg3: tensor<4xf32>)  {
    stablehlo.return %arg2 : tensor<4xf32>
  }
  return
}

// -----

// breaks: C7
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<3xi8>, %arg1: tensor<i8>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [] : (tensor<3xi8>, tensor<i8>) -> tensor<i8>
     reducer(%arg2: tensor<i8>, %arg3: tensor<i8>)  {
      stablehlo.return %arg2 : tensor<i8>
    }
    return
  }
}

// -----

// breaks: C8
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<2x8x8x8xf32>, %arg1: tensor<f32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0, 1, 2] : (tensor<2x8x8x8xf32>, tensor<f32>) -> tensor<8xi1>
     reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
      stablehlo.return %arg2 : tensor<f32>
    }
    return
  }
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<5xf32>, %arg1: tensor<4xf32>) {
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] : (tensor<5xf32>, tensor<4xf32>) -> tensor<f32>
   reducer(%arg2: tensor<f32>, %arg3: tensor<f32>)  {
    stablehlo.return %arg2 : tensor<f32>
  }
  return
}

// -----

// breaks: U2
// with: C6 (the letter has scalars only)
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<5xf32>) {
  %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<2x3xf32>, tensor<5xf32>) -> tensor<2xf32>
   reducer(%arg2: tensor<5xf32>, %arg3: tensor<5xf32>)  {
    stablehlo.return %arg2 : tensor<5xf32>
  }
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<8x8xf32>, %arg1: tensor<f32>) {
  %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<4>>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x2xf32>
  %i = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = "stablehlo.reduce"(%x, %i) ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %1 = stablehlo.add %a, %b : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) {dimensions = array<i64: 0>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
