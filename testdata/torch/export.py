"""A PyTorch model as StableHLO, with an input and PyTorch's own result; needs torch and torch-mlir."""

from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch_mlir import fx

HERE = Path(__file__).parent


class Classifier(nn.Module):
    """Two convolutions, attention over the places of the image, and a linear layer."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.GELU())
        self.mix = nn.Conv2d(8, 8, 3, padding=1, groups=8)
        self.attend = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 5)

    def forward(self, image: torch.Tensor) -> torch.Tensor:
        """Return the probabilities of 5 classes; `image` is batch x 3 x height x width."""
        features = self.mix(self.stem(image)).flatten(2).transpose(1, 2)
        attended, _ = self.attend(features, features, features)
        return self.head(attended.mean(1)).softmax(-1)


torch.manual_seed(0)
model, image = Classifier().eval(), torch.rand(2, 3, 8, 8)
(HERE / "classifier.mlir").write_text(str(fx.export_and_import(model, image, output_type="stablehlo")))
np.save(HERE / "image.npy", image.numpy())
np.save(HERE / "expected.npy", model(image).detach().numpy())
