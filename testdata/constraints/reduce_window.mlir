// valid
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x6xi1>, %arg1: tensor<i1>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%arg2: tensor<i1>, %arg3: tensor<i1>):
      stablehlo.return %arg2 : tensor<i1>
    }) : (tensor<4x6xi1>, tensor<i1>) -> tensor<3x5xi1>
    return
  }
}

// -----

// valid
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x6xi1>, %arg1: tensor<i1>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64>, padding = dense<> : tensor<0x2xi64>, window_dilations = array<i64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64>}> ({
    ^bb0(%arg2: tensor<i1>, %arg3: tensor<i1>):
      stablehlo.return %arg2 : tensor<i1>
    }) : (tensor<4x6xi1>, tensor<i1>) -> tensor<3x5xi1>
    return
  }
}

// -----

// breaks: C1
func.func @main() {
  "stablehlo.reduce_window"() <{window_dimensions = array<i64: 2>}> ({
    stablehlo.return 
  }) : () -> ()
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<4x1xf32>, %arg1: tensor<f8E4M3FN>, %arg2: tensor<f32>, %arg3: tensor<f8E4M3FN>) {
  %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg3) <{base_dilations = array<i64: 2, 1>, padding = dense<[[2, 2], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 8, 1>, window_strides = array<i64: 3, 1>}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<f8E4M3FN>, %arg6: tensor<f32>, %arg7: tensor<f8E4M3FN>):
    stablehlo.return %arg4, %arg5 : tensor<f32>, tensor<f8E4M3FN>
  }) : (tensor<4x1xf32>, tensor<f8E4M3FN>, tensor<f32>, tensor<f8E4M3FN>) -> (tensor<2x?xf32>, tensor<2x2xf8E4M3FN>)
  return
}

// -----

// warns: C3
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<?x9xbf16>, %arg1: tensor<f16>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 8, 1>}> ({
    ^bb0(%arg2: tensor<bf16>, %arg3: tensor<bf16>):
      stablehlo.return %arg2 : tensor<bf16>
    }) : (tensor<?x9xbf16>, tensor<f16>) -> tensor<2x9xbf16>
    return
  }
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<2xf32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    stablehlo.return %arg2 : tensor<f32>
  }) : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

// breaks: C5
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x4xf64>, %arg1: tensor<f64>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 0>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg2 : tensor<f64>
    }) : (tensor<4x4xf64>, tensor<f64>) -> tensor<3x5xf64>
    return
  }
}

// -----

// breaks: C6
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<8x9xbf16>, %arg1: tensor<bf16>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 8, 1>, window_strides = array<i64: 1, 2, 2>}> ({
    ^bb0(%arg2: tensor<bf16>, %arg3: tensor<bf16>):
      stablehlo.return %arg2 : tensor<bf16>
    }) : (tensor<8x9xbf16>, tensor<bf16>) -> tensor<bf16>
    return
  }
}

// -----

// breaks: C7
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x6xf64>, %arg1: tensor<f64>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 3, 0>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg2 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<f64>
    return
  }
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<3x4x6xf32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 1, 2, 2>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<3x4x6xf32>, tensor<f32>) -> tensor<0x3x5xf32>
  return
}

// -----

// breaks: C9
func.func @main(%arg0: tensor<1xf32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{base_dilations = array<i64: 0>, window_dimensions = array<i64: 2>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    stablehlo.return %arg2 : tensor<f32>
  }) : (tensor<1xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

// breaks: C10
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<1x9xui8>, %arg1: tensor<ui8>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dilations = array<i64: 1>, window_dimensions = array<i64: 8, 1>}> ({
    ^bb0(%arg2: tensor<ui8>, %arg3: tensor<ui8>):
      stablehlo.return %arg2 : tensor<ui8>
    }) : (tensor<1x9xui8>, tensor<ui8>) -> tensor<ui8>
    return
  }
}

// -----

// breaks: C11
func.func @main(%arg0: tensor<4x2xf32>, %arg1: tensor<4x2xi32>, %arg2: tensor<f32>, %arg3: tensor<i32>) {
  %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg3) <{base_dilations = array<i64: 1, 1>, padding = dense<[[2, 2], [0, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 0, 1>, window_dimensions = array<i64: 5, 1>, window_strides = array<i64: 4, 1>}> ({
  ^bb0(%arg4: tensor<f32>, %arg5: tensor<i32>, %arg6: tensor<f32>, %arg7: tensor<i32>):
    stablehlo.return %arg4, %arg5 : tensor<f32>, tensor<i32>
  }) : (tensor<4x2xf32>, tensor<4x2xi32>, tensor<f32>, tensor<i32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return
}

// -----

// breaks: C12
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x6xf64>, %arg1: tensor<f64>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<2> : tensor<1x2xi64>, window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg2 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<f64>
    return
  }
}

// -----

// breaks: C13
func.func @main(%arg0: tensor<?x4x6xf32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 1, 2, 2>}> ({
  ^bb0(%arg2: tensor<f32>):
    stablehlo.return %arg2 : tensor<f32>
  }) : (tensor<?x4x6xf32>, tensor<f32>) -> tensor<0x3x5xf32>
  return
}

// -----

// warns: C13
func.func @main(%arg0: tensor<3xf32>, %arg1: tensor<1xf32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 1>}> ({
  ^bb0(%arg2: tensor<1xf32>, %arg3: tensor<1xf32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<1xf32>
    stablehlo.return %1 : tensor<1xf32>
  }) : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  return
}

// -----

// breaks: C14
func.func @main(%arg0: tensor<4x2xi4>, %arg1: tensor<4x2xi32>, %arg2: tensor<i4>, %arg3: tensor<i32>) {
  %0:2 = "stablehlo.reduce_window"(%arg0, %arg1, %arg2, %arg3) <{padding = dense<[[2, 2], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 5, 1>, window_strides = array<i64: 3, 1>}> ({
  ^bb0(%arg4: tensor<i4>, %arg5: tensor<i32>, %arg6: tensor<i4>, %arg7: tensor<i32>):
    stablehlo.return %arg4, %arg5 : tensor<i4>, tensor<i32>
  }) : (tensor<4x2xi4>, tensor<4x2xi32>, tensor<i4>, tensor<i32>) -> (tensor<2x2xi4>, tensor<i32>)
  return
}

// -----

// breaks: C15
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x6xf64>, %arg1: tensor<f64>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg2 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<6xf64>
    return
  }
}

// -----

// breaks: C16
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x6xf64>, %arg1: tensor<f64>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%arg2: tensor<f64>, %arg3: tensor<f64>):
      stablehlo.return %arg2 : tensor<f64>
    }) : (tensor<4x6xf64>, tensor<f64>) -> tensor<3x5xi1>
    return
  }
}

// -----

// breaks: U1
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%arg0: tensor<4x6xi4>, %arg1: tensor<2xi4>) {
    %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%arg2: tensor<i4>, %arg3: tensor<i4>):
      stablehlo.return %arg2 : tensor<i4>
    }) : (tensor<4x6xi4>, tensor<2xi4>) -> tensor<3x5xi4>
    return
  }
}

// -----

// breaks: U2
// with: C13 (the letter has scalars only)
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<5xf32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 2>}> ({
  ^bb0(%arg2: tensor<5xf32>, %arg3: tensor<5xf32>):
    stablehlo.return %arg2 : tensor<5xf32>
  }) : (tensor<4xf32>, tensor<5xf32>) -> tensor<3xf32>
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<4x4xf32>, %arg1: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<f32>) -> tensor<?x?xf32, #stablehlo.bounds<3, ?>>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<?x?xf32, #stablehlo.bounds<4, 4>>, %arg1: tensor<f32>) {
  %0 = "stablehlo.reduce_window"(%arg0, %arg1) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}> ({
  ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
    %1 = stablehlo.add %arg2, %arg3 : tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }) : (tensor<?x?xf32, #stablehlo.bounds<4, 4>>, tensor<f32>) -> tensor<?x4xf32>
  return
}

// -----

// stops: R1
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<2x2xf32>
  %i = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = "stablehlo.reduce_window"(%x, %i) ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %1 = stablehlo.add %a, %b : tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) {window_dimensions = array<i64: 1, 2>} : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x1xf32>
  return
}
