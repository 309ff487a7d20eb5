// valid
func.func @main(%arg0: tensor<f32>) {
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<f32>) -> tensor<i32>
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i4>) {
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<i4>) -> tensor<i1>
  return
}

// -----

// breaks: C2
func.func @main(%arg0: tensor<?xcomplex<f32>>) {
  %0 = stablehlo.bitcast_convert %arg0 : (tensor<?xcomplex<f32>>) -> tensor<2xi64>
  return
}
