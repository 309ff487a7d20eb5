func.func @f(%a: tensor<2x3xf32>, %b: tensor<3xf32>, %p: tensor<2x3xi1>, %s: tensor<f32>, %i: tensor<i32>) {
  %0 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = stablehlo.iota dim = 0 : tensor<4xi32>
  %3 = stablehlo.concatenate %a, %a, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %4 = stablehlo.slice %a [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %5 = stablehlo.pad %a, %s, low = [0, 1], high = [1, 0], interior = [0, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x4xf32>
  %6 = stablehlo.compare LT, %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %7 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %8 = stablehlo.reverse %a, dims = [0] : tensor<2x3xf32>
  %9 = stablehlo.dynamic_slice %a, %i, %i, sizes = [1, 1] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x1xf32>
  %10 = stablehlo.dynamic_update_slice %a, %a, %i, %i : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %11 = stablehlo.reduce_precision %a, format = e5m10 : tensor<2x3xf32>
  %12 = stablehlo.select %p, %a, %a : tensor<2x3xi1>, tensor<2x3xf32>
  %13 = stablehlo.clamp %s, %a, %s : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %14 = stablehlo.clamp %a, %a, %a : tensor<2x3xf32>
  %15 = stablehlo.get_dimension_size %a, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %16 = stablehlo.set_dimension_size %a, %i, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  %17 = stablehlo.fft %a, type = RFFT, length = [3] : (tensor<2x3xf32>) -> tensor<2x2xcomplex<f32>>
  %18 = stablehlo.floor %a : tensor<2x3xf32>
  func.return
}

// -----

func.func @f(%a: tensor<3x3xf32>, %l: tensor<i32>, %t: !stablehlo.token, %i: tensor<3xi64>) {
  %18 = stablehlo.cholesky %a, lower = true : tensor<3x3xf32>
  %19 = stablehlo.cholesky %a : tensor<3x3xf32>
  %20 = "stablehlo.triangular_solve"(%a, %a) <{left_side = true, lower = false, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %21 = stablehlo.create_token : !stablehlo.token
  %22 = stablehlo.after_all %t, %t : !stablehlo.token
  %23 = stablehlo.after_all : !stablehlo.token
  %24 = stablehlo.partition_id : tensor<ui32>
  %25 = stablehlo.replica_id : tensor<ui32>
  %26:2 = stablehlo.optimization_barrier %a, %t : tensor<3x3xf32>, !stablehlo.token
  stablehlo.optimization_barrier()
  %27 = stablehlo.tuple %a, %t : tuple<tensor<3x3xf32>, !stablehlo.token>
  %28 = stablehlo.get_tuple_element %27[0] : (tuple<tensor<3x3xf32>, !stablehlo.token>) -> tensor<3x3xf32>
  %29 = stablehlo.tuple : tuple<>
  %30:2 = stablehlo.rng_bit_generator %i, algorithm = THREE_FRY : (tensor<3xi64>) -> (tensor<3xi64>, tensor<4xui32>)
  %31 = stablehlo.bitcast_convert %a : (tensor<3x3xf32>) -> tensor<3x3xi32>
  %32 = stablehlo.convert %a : (tensor<3x3xf32>) -> tensor<3x3xi32>
  %33 = stablehlo.convert %a : tensor<3x3xf32>
  %34 = stablehlo.is_finite %a : (tensor<3x3xf32>) -> tensor<3x3xi1>
  %35 = stablehlo.complex %a, %a : tensor<3x3xcomplex<f32>>
  %36 = stablehlo.real %35 : (tensor<3x3xcomplex<f32>>) -> tensor<3x3xf32>
  %37 = stablehlo.imag %a : tensor<3x3xf32>
  %38:2 = "stablehlo.infeed"(%t) <{infeed_config = "x", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<3x3xf32>, !stablehlo.token)
  %39 = "stablehlo.outfeed"(%a, %t) : (tensor<3x3xf32>, !stablehlo.token) -> !stablehlo.token
  %40 = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true}> : (tensor<3x3xf32>, !stablehlo.token) -> !stablehlo.token
  %41:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<3x3xf32>, !stablehlo.token)
  func.return
}

// -----

func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) {
  %0 = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>}> : (tensor<4x4xf32>) -> tensor<8x4xf32>
  %2:2 = "stablehlo.all_gather"(%a, %b) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>)
  %3 = "stablehlo.all_to_all"(%a) <{split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<8x2xf32>
  %4 = "stablehlo.collective_permute"(%a) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = "stablehlo.reduce_scatter"(%a) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %7:2 = "stablehlo.all_reduce"(%a, %b) <{replica_groups = dense<> : tensor<0x0xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %8 = "stablehlo.cross-replica-sum"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
  func.return
}

// -----

func.func @f(%a: tensor<?x4xf32>, %u: tensor<*xf32>, %n: tensor<2xi64>, %b: tensor<?x4xf32, #stablehlo.bounds<3, ?>>, %bt: tensor<?x4xf32, #stablehlo.type_extensions<bounds = [3, ?]>>) {
  %0 = stablehlo.add %a, %a : tensor<?x4xf32>
  %1 = stablehlo.add %b, %b : tensor<?x4xf32, #stablehlo.bounds<3, ?>>
  %2 = stablehlo.add %b, %bt : tensor<?x4xf32, #stablehlo.bounds<3, ?>>
  %4 = stablehlo.dynamic_reshape %a, %n : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %5 = stablehlo.dynamic_broadcast_in_dim %a, %n, dims = [0, 1] : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %6 = stablehlo.dynamic_iota %n, dim = 0 : (tensor<2xi64>) -> tensor<?x?xf32>
  %7 = "stablehlo.dynamic_broadcast_in_dim"(%a, %n) <{broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 0>, known_nonexpanding_dimensions = array<i64: 1>}> : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  %8 = stablehlo.add %a, %b : (tensor<?x4xf32>, tensor<?x4xf32, #stablehlo.bounds<3, ?>>) -> tensor<?x4xf32>
  %9 = stablehlo.real_dynamic_slice %a, %n, %n, %n : (tensor<?x4xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  func.return
}

// -----

func.func @f(%a: tensor<?x4xf32>, %u: tensor<*xf32>) {
  %3 = stablehlo.abs %u : tensor<*xf32>
  func.return
}

// -----

func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %i: tensor<2xi32>) {
  %0 = stablehlo.dot %a, %b, precision = [DEFAULT, DEFAULT] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.dot %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.einsum %a, %b, config = "ab,bc->ac" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.unary_einsum %a, config = "ab->a" : (tensor<2x3xf32>) -> tensor<2xf32>
  %4 = "stablehlo.torch_index_select"(%a, %i) <{dim = 0 : i64, batch_dims = 0 : i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  func.return
}
