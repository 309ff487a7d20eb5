// valid
func.func @main(%arg0: tensor<2xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %arg0, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xi8>)
  return
}

// -----

// breaks: C1
// with: I2 (the types that upstream does not compare)
func.func @main(%arg0: tensor<i8>) {
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<i8>) -> (tensor<?xi64>, tensor<i64>)
  return
}

// -----

// warns: C2
// with: I2 (the types that upstream does not compare)
func.func @main(%arg0: tensor<i8>) {
  %output_state, %output = stablehlo.rng_bit_generator %arg0, algorithm = PHILOX : (tensor<i8>) -> (tensor<i8>, tensor<i8>)
  return
}

// -----

// warns: C1
func.func @main(%arg0: tensor<2xui64>) {
  %0, %1 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xi64>, tensor<2xi8>)
  return
}

// -----

// warns: I2
func.func @main(%arg0: tensor<2xui32>) {
  %0, %1 = stablehlo.rng_bit_generator %arg0, algorithm = DEFAULT : (tensor<2xui32>) -> (tensor<2xui32>, tensor<2xi8>)
  return
}

// -----

// stops: R1
func.func @main() {
  %s = stablehlo.constant dense<1> : tensor<2xi8>
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = THREE_FRY : (tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>)
  return
}

// -----

// stops: R2
func.func @main() {
  %s = stablehlo.constant dense<1> : tensor<1xui64>
  %0, %1 = stablehlo.rng_bit_generator %s, algorithm = DEFAULT : (tensor<1xui64>) -> (tensor<1xui64>, tensor<2xi8>)
  return
}
