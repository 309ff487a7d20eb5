// The worked example of all_reduce in the specification.
//
// The document passes %operand0 twice, with which the second result could not be the sum of the
// %operand1 that it prints ([9 + 13, 10 + 14, 11 + 15, 12 + 16]); an earlier edition has one operand,
// of type tensor<i64> where its values are vectors of four.

module {
  func.func @all_reduce(%operand0: tensor<4xi64>, %operand1: tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>) {
    %result:2 = "stablehlo.all_reduce"(%operand0, %operand1) ({
      ^bb0(%arg0: tensor<i64>, %arg1: tensor<i64>):
        %0 = "stablehlo.add"(%arg0, %arg1) : (tensor<i64>, tensor<i64>) -> tensor<i64>
        "stablehlo.return"(%0) : (tensor<i64>) -> ()
    }) {
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
      // channel_id = 0
      channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>
      // use_global_device_ids = false
    } : (tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>)
    return %result#0, %result#1 : tensor<4xi64>, tensor<4xi64>
  }

  func.func @main() {
    %operand0_replica0 = stablehlo.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
    %operand1_replica0 = stablehlo.constant dense<[9, 10, 11, 12]> : tensor<4xi64>
    %operand0_replica1 = stablehlo.constant dense<[5, 6, 7, 8]> : tensor<4xi64>
    %operand1_replica1 = stablehlo.constant dense<[13, 14, 15, 16]> : tensor<4xi64>
    %results:4 = "interpreter.run_parallel"(%operand0_replica0, %operand1_replica0, %operand0_replica1, %operand1_replica1) {
      programs = [[@all_reduce], [@all_reduce]]
    } : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
        -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %results#0, dense<[6, 8, 10, 12]> : tensor<4xi64>
    check.expect_eq_const %results#1, dense<[22, 24, 26, 28]> : tensor<4xi64>
    check.expect_eq_const %results#2, dense<[6, 8, 10, 12]> : tensor<4xi64>
    check.expect_eq_const %results#3, dense<[22, 24, 26, 28]> : tensor<4xi64>
    return
  }
}
