// valid
func.func @main() {
  %0 = shape.const_shape [2, 8] : tensor<2xindex>
  %1 = shape.const_shape [2, 8] : !shape.shape
  return
}

// -----

// breaks: U1
func.func @main() {
  %0 = shape.const_shape [2, 8] : tensor<3xindex>
  return
}
