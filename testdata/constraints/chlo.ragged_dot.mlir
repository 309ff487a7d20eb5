// valid
func.func @main(%arg0: tensor<6x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<6x5xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<6x7xf32>
  return
}

// -----

// breaks: U1
func.func @main(%arg0: tensor<2x3x5xi8>, %arg1: tensor<2x5xi8>, %arg2: tensor<2xi8>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [#chlo<precision HIGH>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<2x3x5xi8>, tensor<2x5xi8>, tensor<2xi8>) -> tensor<*xf32>
  return
}

// -----

// breaks: U2
// with: U10 (lists of different lengths have no equal sizes)
func.func @main(%arg0: tensor<2x6x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<2x3xi64>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x6x5xf32>, tensor<3x5x7xf32>, tensor<2x3xi64>) -> tensor<2x6x7xf32>
  return
}

// -----

// breaks: U3
// with: U11 (lists of different lengths have no equal sizes)
func.func @main(%arg0: tensor<6x5x2xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1, 2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<6x5x2xf32>, tensor<3x5x7xf32>, tensor<3xi64>) -> tensor<6x7xf32>
  return
}

// -----

// breaks: U4
func.func @main(%arg0: tensor<?x2x?xi4>, %arg1: tensor<3x2x5x7xi4>, %arg2: tensor<3xi4>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [2], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<?x2x?xi4>, tensor<3x2x5x7xi4>, tensor<3xi4>) -> tensor<?x3x2x?xi8>
  return
}

// -----

// breaks: U5
func.func @main(%arg0: tensor<?x2x?xi8>, %arg1: tensor<3x2x7xi8>, %arg2: tensor<3xi8>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<?x2x?xi8>, tensor<3x2x7xi8>, tensor<3xi8>) -> tensor<?x2x?xi8>
  return
}

// -----

// breaks: U6
func.func @main(%arg0: tensor<2x3x5xi4>, %arg1: tensor<3x2x5xi4>, %arg2: tensor<3xi8>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [5], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x3x5xi4>, tensor<3x2x5xi4>, tensor<3xi8>) -> tensor<i8>
  return
}

// -----

// breaks: U7
func.func @main(%arg0: tensor<2x11xi1>, %arg1: tensor<3x2x5x7xi8>, %arg2: tensor<3xi8>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x11xi1>, tensor<3x2x5x7xi8>, tensor<3xi8>) -> tensor<2x11x7xi8>
  return
}

// -----

// breaks: U8
func.func @main(%arg0: tensor<2x3x5xi4>, %arg1: tensor<2x5xi8>, %arg2: tensor<2xi4>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [3], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<2x3x5xi4>, tensor<2x5xi8>, tensor<2xi4>) -> tensor<*xf32>
  return
}

// -----

// breaks: U9
func.func @main(%arg0: tensor<?x?x?xi8>, %arg1: tensor<3x2x5xi4>, %arg2: tensor<3xi8>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [3], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<?x?x?xi8>, tensor<3x2x5xi4>, tensor<3xi8>) -> tensor<1x1x?xi1>
  return
}

// -----

// breaks: U10
func.func @main(%arg0: tensor<2x11x5xi1>, %arg1: tensor<1x5x7xi4>, %arg2: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>}> : (tensor<2x11x5xi1>, tensor<1x5x7xi4>, tensor<3xi64>) -> tensor<3x2x11x7xi64>
  return
}

// -----

// breaks: U11
func.func @main(%arg0: tensor<2x3x5xf32>, %arg1: tensor<2x4x7xf32>, %arg2: tensor<2xi64>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0]>}> : (tensor<2x3x5xf32>, tensor<2x4x7xf32>, tensor<2xi64>) -> tensor<2x3x7xf32>
  return
}

// -----

// breaks: U12
func.func @main(%arg0: tensor<2x5xi8>, %arg1: tensor<5xi8>, %arg2: tensor<2xi8>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> : (tensor<2x5xi8>, tensor<5xi8>, tensor<2xi8>) -> tensor<i8>
  return
}

// -----

// breaks: U13
func.func @main(%arg0: tensor<?x2x?xi1>, %arg1: tensor<3x2x5x7xi1>, %arg2: tensor<3xi8>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [5], rhs_group_dimensions = [0]>}> : (tensor<?x2x?xi1>, tensor<3x2x5x7xi1>, tensor<3xi8>) -> tensor<0x2x?xi1>
  return
}

// -----

// breaks: U14
func.func @main(%arg0: tensor<?x2x?xi1>, %arg1: tensor<2x5xi1>, %arg2: tensor<i4>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [2]>}> : (tensor<?x2x?xi1>, tensor<2x5xi1>, tensor<i4>) -> tensor<i8>
  return
}

// -----

// breaks: U15
func.func @main(%arg0: tensor<?x?x?xi8>, %arg1: tensor<3x2x5x3xi1>, %arg2: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [4]>}> : (tensor<?x?x?xi8>, tensor<3x2x5x3xi1>, tensor<3xi64>) -> tensor<2x1x3x?xi8>
  return
}

// -----

// breaks: U16
func.func @main(%arg0: tensor<3x6x5xf32>, %arg1: tensor<3x5x7xf32>, %arg2: tensor<3x3xi64>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<3x6x5xf32>, tensor<3x5x7xf32>, tensor<3x3xi64>) -> tensor<3x6x7xf32>
  return
}

// -----

// breaks: U17
func.func @main(%arg0: tensor<?x?x?xi8>, %arg1: tensor<2x5x3xf32>, %arg2: tensor<3xi4>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [2]>}> : (tensor<?x?x?xi8>, tensor<2x5x3xf32>, tensor<3xi4>) -> tensor<1x3x?xi8>
  return
}

// -----

// breaks: U18
func.func @main(%arg0: tensor<2x?xi8>, %arg1: tensor<3x7xi8>, %arg2: tensor<3xi8>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x?xi8>, tensor<3x7xi8>, tensor<3xi8>) -> tensor<*xi4>
  return
}

// -----

// breaks: U19
func.func @main(%arg0: tensor<2x11x5xi4>, %arg1: tensor<3x2x5x7xi4>, %arg2: tensor<2xi8>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2], lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>}> : (tensor<2x11x5xi4>, tensor<3x2x5x7xi4>, tensor<2xi8>) -> tensor<2x11x7xi4>
  return
}

// -----

// breaks: U20
func.func @main(%arg0: tensor<22x5xf32>, %arg1: tensor<5x7xf32>, %arg2: tensor<3xi64>) {
  %0 = "chlo.ragged_dot"(%arg0, %arg1, %arg2) <{precision_config = [], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [1]>}> : (tensor<22x5xf32>, tensor<5x7xf32>, tensor<3xi64>) -> tensor<22x0xf32>
  return
}
