// valid
func.func @main(%arg0: tensor<2x3x!quant.uniform<i8<-100:100>:f32:1, {1.0:-100, 2.0, 3.0:100}>>) {
  func.return
}

// -----

// rejects: C1: expected an integer
func.func @main(%arg0: tensor<2x!quant.uniform<i8<0.5:100>:f32, 1.0>>) {
  func.return
}

// -----

// rejects: C2: expected an integer
func.func @main(%arg0: tensor<2x!quant.uniform<i8<0:99.5>:f32, 1.0>>) {
  func.return
}

// -----

// rejects: C3: (C3): -128 <= storage_min < storage_max <= 127
func.func @main(%arg0: tensor<2x!quant.uniform<i8<5:5>:f32, 1.0:5>>) {
  func.return
}

// -----

// rejects: C4: (C4): the expressed type must be a floating-point type
func.func @main(%arg0: tensor<2x!quant.uniform<i8:i32, 1.0>>) {
  func.return
}

// -----

// rejects: C5: (C5): 0 < scales
func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32, 0.0>>) {
  func.return
}

// -----

// rejects: C6: (C6): is_finite(scales...)
func.func @main(%arg0: tensor<2x!quant.uniform<i8:f16, 1.0e+5>>) {
  func.return
}

// -----

// warns: C7
func.func @main(%arg0: tensor<2x!quant.uniform<i8<-100:100>:f32, 1.0:101>>) {
  func.return
}

// -----

// rejects: C8: expected an integer
func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32, 1.0:0.5>>) {
  func.return
}

// -----

// rejects: C10: the scales do not fit the quantization dimension
func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32, {1.0, 2.0}>>) {
  func.return
}

// -----

// rejects: C11: (C11): 0 <= quantization_dimension
func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32:-1, {1.0, 2.0}>>) {
  func.return
}

// -----

// warns: C12
func.func @main(%arg0: tensor<2x!quant.uniform<i8:f32:1, {1.0, 2.0}>>) {
  func.return
}

// -----

// warns: C13
func.func @main(%arg0: tensor<3x!quant.uniform<i8:f32:0, {1.0, 2.0}>>) {
  func.return
}
