// valid
func.func @main(%arg0: tensor<1xi32>, %arg1: tensor<i32>) {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  {
  ^bb0(%input: tensor<i32>, %carry: tensor<i32>):
    stablehlo.return %input, %carry : tensor<i32>, tensor<i32>
  } : (tensor<1xi32>, tensor<i32>) -> (tensor<1xi32>, tensor<i1>)
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<f32>) {
  %0 = chlo.scan() inits (%arg0) dimension=0  {
  ^bb0(%carry: tensor<f32>):
    stablehlo.return %carry : tensor<f32>
  } : (tensor<f32>) -> tensor<f32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<i4>, %arg1: tensor<i4>) {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=2  {
  ^bb0(%carry: tensor<i1>, %carry_0: tensor<i1>):
    stablehlo.return %carry, %carry_0 : tensor<i1>, tensor<i1>
  } : (tensor<i4>, tensor<i4>) -> (tensor<i4>, tensor<i4>)
  return
}

// -----

// breaks: U3
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<f32>) {
  %0:2 = chlo.scan(%arg0, %arg1) inits (%arg2) dimension=0  {
  ^bb0(%input: tensor<f32>, %input_0: tensor<f32>, %carry: tensor<f32>):
    stablehlo.return %input, %input_0 : tensor<f32>, tensor<f32>
  } : (tensor<4xf32>, tensor<3xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<3x3xf32>, %arg1: tensor<3xf32>) {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  attributes {scan_dim_size = 2 : i64} {
  ^bb0(%carry: tensor<3xf32>, %carry_0: tensor<3xf32>):
    stablehlo.return %carry, %carry_0 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3x3xf32>, tensor<3xf32>) -> (tensor<*xf32>, tensor<3xf32>)
  return
}

// -----

// breaks: U5
func.func @main(%arg0: tensor<2xi8>, %arg1: tensor<i4>) {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  {
  ^bb0(%carry: tensor<i1>, %carry_0: tensor<i1>):
    stablehlo.return %carry, %carry_0 : tensor<i1>, tensor<i1>
  } : (tensor<2xi8>, tensor<i4>) -> (tensor<i1>, tensor<i8>)
  return
}

// -----

// breaks: U6
// with: U9 (lists of different lengths have no equal shapes)
func.func @main(%arg0: tensor<4xf32>, %arg1: tensor<f32>) {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  {
  ^bb0(%input: tensor<f32>, %carry: tensor<f32>):
    stablehlo.return %input : tensor<f32>
  } : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>)
  return
}

// -----

// breaks: U7
module {
  func.func @main(%a0: tensor<4xf32>, %a1: tensor<f32>) {
    %r:3 = "chlo.scan"(%a0, %a1) <{dimension = 0 : i64, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 2>}> ({
^bb0(%x0: tensor<f32>, %x1: tensor<f32>):
  %m:1 = "stablehlo.custom_call"() <{call_target_name = "f"}> : () -> (tensor<f32>)
  "stablehlo.return"(%x0, %x1, %m#0) : (tensor<f32>, tensor<f32>, tensor<f32>) -> ()
}) : (tensor<4xf32>, tensor<f32>) -> (tensor<4xf32>, tensor<f32>, tensor<f32>)
    return
  }
}

// -----

// breaks: U8
func.func @main(%arg0: tensor<*xf32>, %arg1: tensor<?xf32>) {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  {
  ^bb0(%carry: tensor<3xf32>, %carry_0: tensor<3xf32>):
    stablehlo.return %carry, %carry_0 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<*xf32>, tensor<?xf32>) -> (tensor<2x3x3xi1>, tensor<?xf32>)
  return
}

// -----

// breaks: U9
func.func @main(%arg0: tensor<4xui8>, %arg1: tensor<ui8>) {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  {
  ^bb0(%carry: tensor<ui8>, %carry_0: tensor<ui8>):
    stablehlo.return %carry, %carry_0 : tensor<ui8>, tensor<ui8>
  } : (tensor<4xui8>, tensor<ui8>) -> (tensor<i8>, tensor<2xi1>)
  return
}

// -----

// breaks: U10
func.func @main(%arg0: tensor<4x3xf32>, %arg1: tensor<3xf32>) {
  %0:2 = chlo.scan(%arg0) inits (%arg1) dimension=0  {
  ^bb0(%carry: tensor<3xf32>, %carry_0: tensor<3xf32>):
    stablehlo.return %carry, %carry_0 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<4x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xi8>)
  return
}
