// valid
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<[(1.0, 0x7FC00000), (-2.5e3, 0.0)]> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
  return
}

// -----

// rejects: IntegerConstant.C1: integer constant out of range
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<256> : tensor<i8>}> : () -> tensor<i8>
  return
}

// -----

// rejects: FloatConstant.C1: expected i1 type
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<true> : tensor<f32>}> : () -> tensor<f32>
  return
}

// -----

// rejects: FloatConstant.C2: hexadecimal float constant out of range
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<0x7FC000000> : tensor<f32>}> : () -> tensor<f32>
  return
}

// -----

// rejects: ComplexConstant.C1: expected i1 type
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<(true, 1.0)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
  return
}

// -----

// rejects: ComplexConstant.C2: expected i1 type
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<(1.0, true)> : tensor<complex<f32>>}> : () -> tensor<complex<f32>>
  return
}

// -----

// rejects: TensorConstant.C1: expected integer elements
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<[1, 2.5]> : tensor<2xi32>}> : () -> tensor<2xi32>
  return
}

// -----

// rejects: TensorConstant.C2: does not match type
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<3xi32>}> : () -> tensor<3xi32>
  return
}

// -----

// rejects: QuantizedTensorConstant.C1: integer constant out of range
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<[1, 256]> : tensor<2x!quant.uniform<i8:f32, 1.0>>}> : () -> tensor<2x!quant.uniform<i8:f32, 1.0>>
  return
}

// -----

// rejects: QuantizedTensorConstant.C2: does not match type
func.func @main() {
  %0 = "stablehlo.constant"() <{value = dense<[1, 2]> : tensor<3x!quant.uniform<i8:f32, 1.0>>}> : () -> tensor<3x!quant.uniform<i8:f32, 1.0>>
  return
}
