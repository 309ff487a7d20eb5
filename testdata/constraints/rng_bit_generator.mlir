// valid
func.func @main(%arg0: tensor<i16>) {
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<i16>) -> (tensor<i16>, tensor<2x0xi32>)
  return
}

// -----

// breaks: C1
func.func @main(%arg0: tensor<i8>) {
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<i8>) -> (tensor<?xi64>, tensor<i64>)
  return
}

// -----

// warns: C2
func.func @main(%arg0: tensor<i8>) {
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<i8>) -> (tensor<i8>, tensor<i8>)
  return
}
