// valid
func.func @main(%arg0: tensor<1xi1>, %arg1: tensor<1xi1>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<1xi1>, tensor<1xi1>) -> tensor<i4>
  return
}

// -----

// breaks: C1
// with: C9 (lists of different lengths have no equal sizes)
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [], contracting_dims = [] x [] : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3x2x4xf32>
  return
}

// -----

// breaks: C2
// with: C10 (lists of different lengths have no equal sizes)
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [] : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

// breaks: C3
func.func @main(%arg0: tensor<?x?x?xf16>, %arg1: tensor<?x?x?xf16>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [0] x [1] : (tensor<?x?x?xf16>, tensor<?x?x?xf16>) -> tensor<2x?x2x?xi1>
  return
}

// -----

// breaks: C4
func.func @main(%arg0: tensor<?x7x3x4xf32>, %arg1: tensor<?x7x4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0, 1] x [2, 1], contracting_dims = [3] x [2] : (tensor<?x7x3x4xf32>, tensor<?x7x4xf32>) -> tensor<?x7x3x2xi8>
  return
}

// -----

// breaks: C5
func.func @main(%arg0: tensor<?xi8>, %arg1: tensor<?x?xi8>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [3] x [0], contracting_dims = [0] x [1] : (tensor<?xi8>, tensor<?x?xi8>) -> tensor<i4>
  return
}

// -----

// breaks: C6
func.func @main(%arg0: tensor<4xi8>, %arg1: tensor<2x3xi8>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] : (tensor<4xi8>, tensor<2x3xi8>) -> tensor<4x2xi8>
  return
}

// -----

// breaks: C7
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [2], contracting_dims = [] x [] : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x3x2x4xf32>
  return
}

// -----

// breaks: C8
func.func @main(%arg0: tensor<4xi1>, %arg1: tensor<1xi1>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [3] : (tensor<4xi1>, tensor<1xi1>) -> tensor<1xi4>
  return
}

// -----

// breaks: C9
func.func @main(%arg0: tensor<2x3x4xi16>, %arg1: tensor<3x3x5xi16>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3x4xi16>, tensor<3x3x5xi16>) -> tensor<2x4x5xi16>
  return
}

// -----

// breaks: C10
func.func @main(%arg0: tensor<4xi32>, %arg1: tensor<1xi32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<4xi32>, tensor<1xi32>) -> tensor<i32>
  return
}

// -----

// warns: C11
func.func @main(%arg0: tensor<1xf8E3M4>, %arg1: tensor<1xf8E3M4>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0], precision = [HIGH] : (tensor<1xf8E3M4>, tensor<1xf8E3M4>) -> tensor<i64>
  return
}

// -----

// breaks: C12
func.func @main(%arg0: tensor<i8>, %arg1: tensor<i8>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [] x [] : (tensor<i8>, tensor<i8>) -> tensor<4xi8>
  return
}

// -----

// warns: C13
func.func @main(%arg0: tensor<1xi1>, %arg1: tensor<1xui64>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<1xi1>, tensor<1xui64>) -> tensor<i4>
  return
}

// -----

// breaks: C14
func.func @main(%arg0: tensor<1xi1>, %arg1: tensor<1xi1>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<1xi1>, tensor<1xi1>) -> tensor<!quant.uniform<i8:f16, 1.000000e+00>>
  return
}

// -----

// breaks: C15
func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00:3, 2.000000e+00:3}>>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [1] : (tensor<3x4xf32>, tensor<2x3x!quant.uniform<i8:f32:0, {1.000000e+00:3, 2.000000e+00:3}>>) -> tensor<4x2xf32>
  return
}

// -----

// breaks: C16
func.func @main(%arg0: tensor<2x3x4x!quant.uniform<i8:f32, 1.000000e+00:17>>, %arg1: tensor<2x3x5x!quant.uniform<i8:f32:0, {1.000000e+00, 2.000000e+00}>>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<2x3x4x!quant.uniform<i8:f32, 1.000000e+00:17>>, tensor<2x3x5x!quant.uniform<i8:f32:0, {1.000000e+00, 2.000000e+00}>>) -> tensor<3x4x5x!quant.uniform<i8:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C17
func.func @main(%arg0: tensor<2x3x4x!quant.uniform<ui8:f32, 2.000000e+00:15>>, %arg1: tensor<2x3x5x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3x4x!quant.uniform<ui8:f32, 2.000000e+00:15>>, tensor<2x3x5x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<2x4x5x!quant.uniform<i8:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C18
func.func @main(%arg0: tensor<3x4x!quant.uniform<i8:f16, 1.000000e+00>>, %arg1: tensor<2x3x!quant.uniform<i8:f16, 1.000000e+00>>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [1] : (tensor<3x4x!quant.uniform<i8:f16, 1.000000e+00>>, tensor<2x3x!quant.uniform<i8:f16, 1.000000e+00>>) -> tensor<4x2x!quant.uniform<i8:f32, 1.000000e+00>>
  return
}

// -----

// breaks: C19
func.func @main(%arg0: tensor<2x3x4x!quant.uniform<i8:f32, 1.000000e+00>>, %arg1: tensor<2x3x5x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3x4x!quant.uniform<i8:f32, 1.000000e+00>>, tensor<2x3x5x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<2x4x5x!quant.uniform<i8:f32:0, {1.000000e-01:-30, 1.000000e-01:-30}>>
  return
}

// -----

// breaks: C20
func.func @main(%arg0: tensor<1xi8>, %arg1: tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [0] : (tensor<1xi8>, tensor<1x!quant.uniform<i8:f32, 1.000000e+00>>) -> tensor<i4>
  return
}

// -----

// breaks: C21
func.func @main(%arg0: tensor<2x2x2xi64>, %arg1: tensor<2x2xi64>) {
  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, HIGH], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2x2xi64>, tensor<2x2xi64>) -> tensor<2x2xi4>
  return
}

// -----

// breaks: C22
// with: U2 (upstream takes only known algorithms)
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// breaks: C23
// with: U2 (upstream takes only known algorithms)
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 0, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// breaks: C24
// with: U2 (upstream takes only known algorithms)
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// breaks: U1
// with: C11 (three is not two)
func.func @main(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// breaks: U2
func.func @main(%arg0: tensor<3x4xf32>, %arg1: tensor<2x3xf32>) {
  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [0] x [1], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = i8, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<2x3xf32>) -> tensor<4x2xi8>
  return
}
