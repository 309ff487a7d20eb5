module {
  func.func @main(%arg0: tensor<2x3x8x8xf32>) -> tensor<2x5xf32> {
    %cst = stablehlo.constant dense_resource<torch_tensor_5_torch.float32> : tensor<5xf32>
    %cst_0 = stablehlo.constant dense_resource<torch_tensor_5_8_torch.float32> : tensor<5x8xf32>
    %cst_1 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_6> : tensor<8xf32>
    %cst_2 = stablehlo.constant dense_resource<torch_tensor_8_8_torch.float32> : tensor<8x8xf32>
    %cst_3 = stablehlo.constant dense_resource<torch_tensor_24_torch.float32> : tensor<24xf32>
    %cst_4 = stablehlo.constant dense_resource<torch_tensor_24_8_torch.float32> : tensor<24x8xf32>
    %cst_5 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_5> : tensor<8xf32>
    %cst_6 = stablehlo.constant dense_resource<torch_tensor_8_1_3_3_torch.float32> : tensor<8x1x3x3xf32>
    %cst_7 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_4> : tensor<8xf32>
    %cst_8 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_3> : tensor<8xf32>
    %cst_9 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_2> : tensor<8xf32>
    %cst_10 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32_1> : tensor<8xf32>
    %cst_11 = stablehlo.constant dense_resource<torch_tensor_8_3_3_3_torch.float32> : tensor<8x3x3x3xf32>
    %cst_12 = stablehlo.constant dense_resource<torch_tensor_8_torch.float32> : tensor<8xf32>
    %cst_13 = stablehlo.constant dense<1.000000e+00> : tensor<8xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<2x8x4x4xf32>
    %cst_15 = stablehlo.constant dense<2.000000e+00> : tensor<2x8x4x4xf32>
    %cst_16 = stablehlo.constant dense<5.000000e-01> : tensor<2x8x4x4xf32>
    %cst_17 = stablehlo.constant dense<-4.000000e+00> : tensor<2x8x4x4xf32>
    %cst_18 = stablehlo.constant dense<4.000000e+00> : tensor<2x8x4x4xf32>
    %cst_19 = stablehlo.constant dense<-2.72614237E-10> : tensor<2x8x4x4xf32>
    %cst_20 = stablehlo.constant dense<2.77068146E-8> : tensor<2x8x4x4xf32>
    %cst_21 = stablehlo.constant dense<-2.10102394E-6> : tensor<2x8x4x4xf32>
    %cst_22 = stablehlo.constant dense<-5.69250624E-5> : tensor<2x8x4x4xf32>
    %cst_23 = stablehlo.constant dense<-7.34990637E-4> : tensor<2x8x4x4xf32>
    %cst_24 = stablehlo.constant dense<-2.954600e-03> : tensor<2x8x4x4xf32>
    %cst_25 = stablehlo.constant dense<-0.0160960332> : tensor<2x8x4x4xf32>
    %cst_26 = stablehlo.constant dense<-1.45660715E-5> : tensor<2x8x4x4xf32>
    %cst_27 = stablehlo.constant dense<-2.13374049E-4> : tensor<2x8x4x4xf32>
    %cst_28 = stablehlo.constant dense<-0.00168282702> : tensor<2x8x4x4xf32>
    %cst_29 = stablehlo.constant dense<-0.00737332925> : tensor<2x8x4x4xf32>
    %cst_30 = stablehlo.constant dense<-0.0142647391> : tensor<2x8x4x4xf32>
    %cst_31 = stablehlo.constant dense<-1.000000e+00> : tensor<2x8x4x4xf32>
    %cst_32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %cst_34 = arith.constant dense<1.000000e-05> : tensor<1xf64>
    %cst_35 = arith.constant dense<1> : tensor<1xi64>
    %cst_36 = arith.constant dense<5.000000e-01> : tensor<1xf64>
    %cst_37 = arith.constant dense<16> : tensor<1xi64>
    %0 = stablehlo.convolution(%arg0, %cst_11) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x8x8xf32>, tensor<8x3x3x3xf32>) -> tensor<2x8x4x4xf32>
    %1 = stablehlo.reshape %cst_12 : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
    %3 = stablehlo.add %0, %2 : tensor<2x8x4x4xf32>
    %4 = stablehlo.convert %cst_34 : (tensor<1xf64>) -> tensor<1xf32>
    %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %7 = stablehlo.add %6, %cst_9 : tensor<8xf32>
    %8 = stablehlo.sqrt %7 : tensor<8xf32>
    %9 = stablehlo.divide %cst_13, %8 : tensor<8xf32>
    %10 = stablehlo.convert %cst_35 : (tensor<1xi64>) -> tensor<1xf32>
    %11 = stablehlo.reshape %10 : (tensor<1xf32>) -> tensor<f32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<8xf32>
    %13 = stablehlo.multiply %9, %12 : tensor<8xf32>
    %14 = stablehlo.reshape %cst_10 : (tensor<8xf32>) -> tensor<8x1xf32>
    %15 = stablehlo.reshape %14 : (tensor<8x1xf32>) -> tensor<8x1x1xf32>
    %16 = stablehlo.reshape %13 : (tensor<8xf32>) -> tensor<8x1xf32>
    %17 = stablehlo.reshape %16 : (tensor<8x1xf32>) -> tensor<8x1x1xf32>
    %18 = stablehlo.broadcast_in_dim %15, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
    %19 = stablehlo.subtract %3, %18 : tensor<2x8x4x4xf32>
    %20 = stablehlo.broadcast_in_dim %17, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
    %21 = stablehlo.multiply %19, %20 : tensor<2x8x4x4xf32>
    %22 = stablehlo.reshape %cst_8 : (tensor<8xf32>) -> tensor<8x1xf32>
    %23 = stablehlo.reshape %22 : (tensor<8x1xf32>) -> tensor<8x1x1xf32>
    %24 = stablehlo.broadcast_in_dim %23, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
    %25 = stablehlo.multiply %21, %24 : tensor<2x8x4x4xf32>
    %26 = stablehlo.reshape %cst_7 : (tensor<8xf32>) -> tensor<8x1xf32>
    %27 = stablehlo.reshape %26 : (tensor<8x1xf32>) -> tensor<8x1x1xf32>
    %28 = stablehlo.broadcast_in_dim %27, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
    %29 = stablehlo.add %25, %28 : tensor<2x8x4x4xf32>
    %30 = stablehlo.multiply %29, %cst_16 : tensor<2x8x4x4xf32>
    %31 = stablehlo.rsqrt %cst_15 : tensor<2x8x4x4xf32>
    %32 = stablehlo.multiply %29, %31 : tensor<2x8x4x4xf32>
    %33 = stablehlo.clamp %cst_17, %32, %cst_18 : tensor<2x8x4x4xf32>
    %34 = stablehlo.multiply %33, %33 : tensor<2x8x4x4xf32>
    %35 = stablehlo.multiply %cst_19, %34 : tensor<2x8x4x4xf32>
    %36 = stablehlo.add %35, %cst_20 : tensor<2x8x4x4xf32>
    %37 = stablehlo.multiply %36, %34 : tensor<2x8x4x4xf32>
    %38 = stablehlo.add %37, %cst_21 : tensor<2x8x4x4xf32>
    %39 = stablehlo.multiply %38, %34 : tensor<2x8x4x4xf32>
    %40 = stablehlo.add %39, %cst_22 : tensor<2x8x4x4xf32>
    %41 = stablehlo.multiply %40, %34 : tensor<2x8x4x4xf32>
    %42 = stablehlo.add %41, %cst_23 : tensor<2x8x4x4xf32>
    %43 = stablehlo.multiply %42, %34 : tensor<2x8x4x4xf32>
    %44 = stablehlo.add %43, %cst_24 : tensor<2x8x4x4xf32>
    %45 = stablehlo.multiply %44, %34 : tensor<2x8x4x4xf32>
    %46 = stablehlo.add %45, %cst_25 : tensor<2x8x4x4xf32>
    %47 = stablehlo.multiply %cst_26, %34 : tensor<2x8x4x4xf32>
    %48 = stablehlo.add %47, %cst_27 : tensor<2x8x4x4xf32>
    %49 = stablehlo.multiply %48, %34 : tensor<2x8x4x4xf32>
    %50 = stablehlo.add %49, %cst_28 : tensor<2x8x4x4xf32>
    %51 = stablehlo.multiply %50, %34 : tensor<2x8x4x4xf32>
    %52 = stablehlo.add %51, %cst_29 : tensor<2x8x4x4xf32>
    %53 = stablehlo.multiply %52, %34 : tensor<2x8x4x4xf32>
    %54 = stablehlo.add %53, %cst_30 : tensor<2x8x4x4xf32>
    %55 = stablehlo.multiply %33, %46 : tensor<2x8x4x4xf32>
    %56 = stablehlo.divide %55, %54 : tensor<2x8x4x4xf32>
    %57 = stablehlo.clamp %cst_31, %56, %cst_14 : tensor<2x8x4x4xf32>
    %58 = stablehlo.add %57, %cst_14 : tensor<2x8x4x4xf32>
    %59 = stablehlo.multiply %58, %30 : tensor<2x8x4x4xf32>
    %60 = stablehlo.convolution(%59, %cst_6) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<2x8x4x4xf32>, tensor<8x1x3x3xf32>) -> tensor<2x8x4x4xf32>
    %61 = stablehlo.reshape %cst_5 : (tensor<8xf32>) -> tensor<8x1x1xf32>
    %62 = stablehlo.broadcast_in_dim %61, dims = [1, 2, 3] : (tensor<8x1x1xf32>) -> tensor<2x8x4x4xf32>
    %63 = stablehlo.add %60, %62 : tensor<2x8x4x4xf32>
    %64 = stablehlo.reshape %63 : (tensor<2x8x4x4xf32>) -> tensor<2x8x16xf32>
    %65 = stablehlo.transpose %64, dims = [0, 2, 1] : (tensor<2x8x16xf32>) -> tensor<2x16x8xf32>
    %66 = stablehlo.transpose %65, dims = [1, 0, 2] : (tensor<2x16x8xf32>) -> tensor<16x2x8xf32>
    %67 = stablehlo.transpose %cst_4, dims = [1, 0] : (tensor<24x8xf32>) -> tensor<8x24xf32>
    %68 = stablehlo.reshape %66 : (tensor<16x2x8xf32>) -> tensor<16x2x8xf32>
    %69 = stablehlo.broadcast_in_dim %67, dims = [1, 2] : (tensor<8x24xf32>) -> tensor<16x8x24xf32>
    %70 = stablehlo.reshape %69 : (tensor<16x8x24xf32>) -> tensor<16x8x24xf32>
    %71 = stablehlo.broadcast_in_dim %70, dims = [0, 1, 2] : (tensor<16x8x24xf32>) -> tensor<16x8x24xf32>
    %72 = stablehlo.dot_general %68, %71, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<16x2x8xf32>, tensor<16x8x24xf32>) -> tensor<16x2x24xf32>
    %73 = stablehlo.reshape %72 : (tensor<16x2x24xf32>) -> tensor<16x2x24xf32>
    %74 = stablehlo.broadcast_in_dim %cst_3, dims = [2] : (tensor<24xf32>) -> tensor<16x2x24xf32>
    %75 = stablehlo.add %73, %74 : tensor<16x2x24xf32>
    %76 = stablehlo.reshape %75 : (tensor<16x2x24xf32>) -> tensor<16x2x3x8xf32>
    %77 = stablehlo.reshape %76 : (tensor<16x2x3x8xf32>) -> tensor<1x16x2x3x8xf32>
    %78 = stablehlo.transpose %77, dims = [3, 1, 2, 0, 4] : (tensor<1x16x2x3x8xf32>) -> tensor<3x16x2x1x8xf32>
    %79 = stablehlo.reshape %78 : (tensor<3x16x2x1x8xf32>) -> tensor<3x16x2x8xf32>
    %80 = stablehlo.slice %79 [0:1, 0:16, 0:2, 0:8] : (tensor<3x16x2x8xf32>) -> tensor<1x16x2x8xf32>
    %81 = stablehlo.reshape %80 : (tensor<1x16x2x8xf32>) -> tensor<16x2x8xf32>
    %82 = stablehlo.slice %79 [1:2, 0:16, 0:2, 0:8] : (tensor<3x16x2x8xf32>) -> tensor<1x16x2x8xf32>
    %83 = stablehlo.reshape %82 : (tensor<1x16x2x8xf32>) -> tensor<16x2x8xf32>
    %84 = stablehlo.slice %79 [2:3, 0:16, 0:2, 0:8] : (tensor<3x16x2x8xf32>) -> tensor<1x16x2x8xf32>
    %85 = stablehlo.reshape %84 : (tensor<1x16x2x8xf32>) -> tensor<16x2x8xf32>
    %86 = stablehlo.reshape %81 : (tensor<16x2x8xf32>) -> tensor<16x4x4xf32>
    %87 = stablehlo.transpose %86, dims = [1, 0, 2] : (tensor<16x4x4xf32>) -> tensor<4x16x4xf32>
    %88 = stablehlo.reshape %83 : (tensor<16x2x8xf32>) -> tensor<16x4x4xf32>
    %89 = stablehlo.transpose %88, dims = [1, 0, 2] : (tensor<16x4x4xf32>) -> tensor<4x16x4xf32>
    %90 = stablehlo.reshape %85 : (tensor<16x2x8xf32>) -> tensor<16x4x4xf32>
    %91 = stablehlo.transpose %90, dims = [1, 0, 2] : (tensor<16x4x4xf32>) -> tensor<4x16x4xf32>
    %92 = stablehlo.convert %cst_36 : (tensor<1xf64>) -> tensor<1xf32>
    %93 = stablehlo.reshape %92 : (tensor<1xf32>) -> tensor<f32>
    %94 = stablehlo.broadcast_in_dim %93, dims = [] : (tensor<f32>) -> tensor<4x16x4xf32>
    %95 = stablehlo.multiply %87, %94 : tensor<4x16x4xf32>
    %96 = stablehlo.transpose %89, dims = [0, 2, 1] : (tensor<4x16x4xf32>) -> tensor<4x4x16xf32>
    %97 = stablehlo.broadcast_in_dim %96, dims = [0, 1, 2] : (tensor<4x4x16xf32>) -> tensor<4x4x16xf32>
    %98 = stablehlo.dot_general %95, %97, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x16x4xf32>, tensor<4x4x16xf32>) -> tensor<4x16x16xf32>
    %99 = stablehlo.reduce(%98 init: %cst_32) applies stablehlo.maximum across dimensions = [2] : (tensor<4x16x16xf32>, tensor<f32>) -> tensor<4x16xf32>
    %100 = stablehlo.reshape %99 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x16xf32>
    %102 = stablehlo.subtract %98, %101 : tensor<4x16x16xf32>
    %103 = stablehlo.exponential %102 : tensor<4x16x16xf32>
    %104 = stablehlo.reduce(%103 init: %cst_33) applies stablehlo.add across dimensions = [2] : (tensor<4x16x16xf32>, tensor<f32>) -> tensor<4x16xf32>
    %105 = stablehlo.reshape %104 : (tensor<4x16xf32>) -> tensor<4x16x1xf32>
    %106 = stablehlo.broadcast_in_dim %105, dims = [0, 1, 2] : (tensor<4x16x1xf32>) -> tensor<4x16x16xf32>
    %107 = stablehlo.divide %103, %106 : tensor<4x16x16xf32>
    %108 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
    %109 = stablehlo.dot_general %107, %108, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x16x16xf32>, tensor<4x16x4xf32>) -> tensor<4x16x4xf32>
    %110 = stablehlo.transpose %109, dims = [1, 0, 2] : (tensor<4x16x4xf32>) -> tensor<16x4x4xf32>
    %111 = stablehlo.reshape %110 : (tensor<16x4x4xf32>) -> tensor<32x8xf32>
    %112 = stablehlo.transpose %cst_2, dims = [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %113 = stablehlo.dot_general %111, %112, contracting_dims = [1] x [0] : (tensor<32x8xf32>, tensor<8x8xf32>) -> tensor<32x8xf32>
    %114 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<32x8xf32>
    %115 = stablehlo.multiply %113, %114 : tensor<32x8xf32>
    %116 = stablehlo.multiply %12, %cst_1 : tensor<8xf32>
    %117 = stablehlo.broadcast_in_dim %116, dims = [1] : (tensor<8xf32>) -> tensor<32x8xf32>
    %118 = stablehlo.add %115, %117 : tensor<32x8xf32>
    %119 = stablehlo.reshape %118 : (tensor<32x8xf32>) -> tensor<16x2x8xf32>
    %120 = stablehlo.transpose %119, dims = [1, 0, 2] : (tensor<16x2x8xf32>) -> tensor<2x16x8xf32>
    %121 = stablehlo.reduce(%120 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<2x16x8xf32>, tensor<f32>) -> tensor<2x8xf32>
    %122 = stablehlo.convert %cst_37 : (tensor<1xi64>) -> tensor<1xf32>
    %123 = stablehlo.reshape %122 : (tensor<1xf32>) -> tensor<f32>
    %124 = stablehlo.broadcast_in_dim %123, dims = [] : (tensor<f32>) -> tensor<2x8xf32>
    %125 = stablehlo.divide %121, %124 : tensor<2x8xf32>
    %126 = stablehlo.transpose %cst_0, dims = [1, 0] : (tensor<5x8xf32>) -> tensor<8x5xf32>
    %127 = stablehlo.dot_general %125, %126, contracting_dims = [1] x [0] : (tensor<2x8xf32>, tensor<8x5xf32>) -> tensor<2x5xf32>
    %128 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<2x5xf32>
    %129 = stablehlo.multiply %127, %128 : tensor<2x5xf32>
    %130 = stablehlo.broadcast_in_dim %11, dims = [] : (tensor<f32>) -> tensor<5xf32>
    %131 = stablehlo.multiply %130, %cst : tensor<5xf32>
    %132 = stablehlo.broadcast_in_dim %131, dims = [1] : (tensor<5xf32>) -> tensor<2x5xf32>
    %133 = stablehlo.add %129, %132 : tensor<2x5xf32>
    %134 = stablehlo.reduce(%133 init: %cst_32) applies stablehlo.maximum across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
    %135 = stablehlo.reshape %134 : (tensor<2xf32>) -> tensor<2x1xf32>
    %136 = stablehlo.broadcast_in_dim %135, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x5xf32>
    %137 = stablehlo.subtract %133, %136 : tensor<2x5xf32>
    %138 = stablehlo.exponential %137 : tensor<2x5xf32>
    %139 = stablehlo.reduce(%138 init: %cst_33) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
    %140 = stablehlo.reshape %139 : (tensor<2xf32>) -> tensor<2x1xf32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x5xf32>
    %142 = stablehlo.divide %138, %141 : tensor<2x5xf32>
    return %142 : tensor<2x5xf32>
  }
}

{-#
  dialect_resources: {
    builtin: {
      torch_tensor_5_torch.float32: "0x04000000E34F32BE3058FDBC29320BBD9A028DBEF9E8963E",
      torch_tensor_5_8_torch.float32: "0x04000000D2D68D3EA3F6353EB486993E526B513ED5A6DBBDE23370BE877ED7BC83D1953EC303F3BD34DFA7BEF268143E9737B03EF721CEBD66E395BE0232A4BE0E74B53DC64EDBBC2DD336BEEE5B923DC57C093ED6F78F3E4A8A8C3EE2C358BDED9D9FBEC192A3BE1004A93E840A203EB9D01D3E2A9F9CBE73A0A73EC77CAB3E676FA33E88B498BE0C9B08BE41FF78BE496BAB3E8F8F1BBE574A25BE3EAD3D3EF07927BE",
      torch_tensor_8_torch.float32_6: "0x040000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_8_8_torch.float32: "0x04000000E7318E3DAB6786BE9B1D713DED331A3E5E4E0F3EB44A36BDBD6594BE2A3D5FBD457AFB3D811904BE4C6C093EAD1A713E000A3DBED280643BDFB3153EA901E33CDDEEF13C0ED3343DD54E8EBEAA9DE33C6BB37A3E771EA33EDFC9543EA00E423DC313293EDB1F30BE350296BE8FA99BBE2F96B43E7BD1653EDB407ABE1CA50D3E2FB3883E1AF3B43E4A489E3ED43E8C3E5E00A6BDE11BFEBD2FA0943E0CE14A3E05DE59BE50BDA23E0EEC2E3E315C453ED2EA62BED6BCCF3D96D5FDBDCE708D3E784A82BD39F20C3EA99C803D33091A3EB90FF6BD0A85303E9DDF7CBE5789A33DD2F374BE1695B2BE5E5E91BECBE88E3E36E0433ECFD5A93EB804913E93A8A1BE",
      torch_tensor_24_torch.float32: "0x04000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_24_8_torch.float32: "0x040000006658B63E6A85B53EF9B39E3EBB2EAB3E8722C53E4714E3BD6019433E8185C53ECBAF123E78A1DD3E4DFA653E2CD2893E33301BBE07C2543EF1CC4B3D1DC9D3BDA7F379BE49CD78BE8898AABEEBD5943E7F9D9D3E47DC49BDCF4B80BEE65AAB3EBBC68D3E1FD7033DDF5851BE55C1CB3E8B53353EEF4DA8BE0B30D43EE65AA83EF89D21BE1B43793E17F07BBED0F98ABD733FBC3EA291923CC3CA9CBE573314BE64B8F0BD5817ABBD8EBC293D7B09CD3EA4EBBD3C53E388BEABCFB53C659B543E5CF25B3E599FCABE1DB09EBDCAC1A4BECC313DBE82C11F3E09709DBE57D3243E1E2DBC3E5BA8E83C12C393BE87DD1EBEC2A5C13D0002A9BEC6495C3EE646C9BE031FD5BE6A6BD7BEB7E6B3BD7E14953E35D6D1BEB946B83E445F31BEC4DD013EB6C3A13CD3E9C7BE44DDB73E9FBF6E3E0F5FDC3E7C03603EC55692BE8107B93EF8A4BE3C1B45523E7CC4B1BEEF11FFBD49AFD9BEF3B32CBE0250BF3D8312AEBE76570D3ED8056E3EED14773D635694BEECE3ABBE3DCC08BEE1A2423EC2AFDA3E82F87E3EDEB947BD10771B3E0C81D9BE3D5BBDBE73E54E3EBD267BBEFA51553EC6819CBE939F5BBE299DB6BE0363673E22B934BD5B9FAA3E9C34893ED95A753E8121643C501709BE11D2C0BD14B76B3DD3CC5B3E91529BBEEC11BA3E89D840BD4EC6B9BE62E86FBE932AC43EC2C0CA3EC85BCDBECC5D9C3E6C375E3ED43A833E7AADBB3E28F96EBE3C040C3EC074353EF30503BE0A63143EAA25FFBDF111893EAE0CF6BDAB4C25BEEA40DF3DDF451D3E97A258BEFAC81C3D097C803E297830BD74F1063E14E3D5BDCD691B3E9A99A0BE115E82BE741161BE3CBFCB3E60A0EEBDE4F69ABAE6D356BECA52DD3EBC87D83E7F34A7BE40BAB3BE870CA8BEECDB08BB240DE2BD4A1D91BE7A091FBEB88BA73DCDAC67BE6980C43D105CCBBD9ADB56BE6EAB733DF54BB63E72E395BEC7B6A43C728323BEDD8ED93EDB57D2BE9F89D4BE5A76DA3EDA448CBEAE05AA3D001319BD0FD0BABD2A11C6BDF7E08C3E1C8CA93C50DAD7BE63E282BE2A2817BEF0205F3E9E788FBE320CD13EC284C5BDC33C9FBD",
      torch_tensor_8_torch.float32_5: "0x040000001B0C6C3EC6187EBE1ED50B3E908CE5BDB3AE24BE8046753DD84E31BE2B4A9D3D",
      torch_tensor_8_1_3_3_torch.float32: "0x04000000C4E693BEC816293E0B2073BEE0C8C1BDBB0BE5BD4B304ABD56F36E3B64C48C3E56722A3D6BDD983E40CC503EB3CB57BEE316193E864971BE68AA10BEABC9C83D4069E13DF709803EE0C2DBBDABE20B3AF8B92F3EE70CA5BE03C7763ECB208DBEAB8A963B2B2168BD63C533BE2075343DA2208D3E8B8EC7BDC8A54ABE067AFCBDEF27A9BE68131A3E16EE23BE16C963BE83A444BE6E40443EDBC2343E8BFD823E769EF73DB0FBE3BD1BC5BEBD20AEC93D3F4B8C3E9B9CB93D138021BEFE7320BE2C5CA1BE207D933DE08C3FBE8B2998BE52A7953E6BAA5DBE8B521BBD6094C33D2BFD2D3C4EAD65BE1EF489BE1009883E40545E3DDA968D3E8BDBE4BD4B15C93D101C9CBD2BDF72BC18E34FBEE6E0E63D00D6D73DAB51E1BB808899BD766852BE",
      torch_tensor_8_torch.float32_4: "0x040000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_8_torch.float32_3: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_8_torch.float32_2: "0x040000000000803F0000803F0000803F0000803F0000803F0000803F0000803F0000803F",
      torch_tensor_8_torch.float32_1: "0x040000000000000000000000000000000000000000000000000000000000000000000000",
      torch_tensor_8_3_3_3_torch.float32: "0x040000008BDABCBAC56ED33D543222BEDB0711BECCCD97BDC461533D56E479BBFC401C3ED7E88BBC6E96503D293A6EBD9CF21ABDFC443CBEE48302BE0379A2BDB69AE93B09D19B3DDD7DEC3DE29905BEE2A1ABBD58288F3DC5A4233E2D3A22BD0E78133E221DFEBC43D2A63CF270323EA2D036BEEC1FF8BD619047BD88A299BD87442A3EDB78FFBD416FB5BD28AE09BE299138BEFD12E6BD6966293E1CDFAF3D1C07BF3D9AD3253C6511CABD395D053D8F0038BE34650EBE9A30CBBD2EADF83D6317E73D54CCAEBDFC8AE3BB3613FC3DA8E9433E206D9C3D15FBD43CCB21043EBA11E8BDF4E3123DE2C918BEF29508BEE89ACBBD3456B23DB1819E3DF077E9BDC6246E3DE15ED83DF6FCC6BCD7C7F03BADA5363D8C83F43D72393D3EAEDD17BE887090BD6AE69A3D0448233EA57D2B3E94E22D3ED9E01C3D215E2BBEE807913C2093F6BDC0A837BE1F182F3EE0D7153EEC9444BE0C8B133DFCCA04BD34B801BD566BB4BD7091973DFF72E9BDCD7C903D9451C73D76130D3E5D5F933DC90B43BE0CADFFBD86CCC43DB5FC243DF5BA19BEC5F3E2BD7664393EDEC9043E9FDAABBDA06546BD3ABA3BBE7BB262BB8C6714BEAA0218BE15BC2DBC1BB6EC3C4F69A1BD5EDFE93D27D9EFBD7ED0323E210D073E512F26BE7F3044BDB8460E3C4105E63C6CF53A3DBAAB9A3D11DF3C3CA84FC0BD6D80BA3DC2093DBEAC9BE9BD335445BD62FDBFBDEFE189BD9E8521BE9CAD27BDBD7F283D366200BEB1D021BC6A120D3EE211A2BC6E43AF3BE10188BC44881F3DBD9BFA3D3AAC3A3EAE4CFA3D91193B3E9E0964BCFE0731BE0CDABABD6C2F063EF984A3BA9EE7C3BD260417BE656D38BEE85326BE29E41FBDC425D83D4B16D53D3D0F3EBE28DBF53D51351ABE4AA626BDE5CF9FBD7BD517BDACC51ABDFBD630BE21282ABEAAB2F6BC201B233B020CB3BDAD78943D9E5F31BE4FCB54BC644E2D3E01C4A0BD2EF4313E0DBD8E3DD4D831BEB45EF93DE0ECB5BC20F2AFBD38961D3E1C401FBEF52BA93C4D0A25BDB9BA0C3EF60A5C3DA462BD3D7B318B3D728F3DBD56C725BD9C6622BEAE8FD53DE8771C3EE5D6063E14020BBEC6A00C3CACEB0ABE74F7D8BD90AAE5BDD3B1863D35DFEABD729589BB25A5043CFF11FE3DE4F714BE4B4A07BE54DCE4BD63EF093EC2AD8DBDB339263EF0858E3DE4A1C73C2FC6BBBAD9D31BBDDACDC53CA0FF33BD933DB1BA2E28C93C",
      torch_tensor_8_torch.float32: "0x04000000F7251ABE7B94CEBDB7211F3E3CEE1FBE8B6962BCBCF2423E8E608E3D3E8CB23B"
    }
  }
#-}
