"""Draw the Transformer in four depths, from one box to every part."""

import torch

from lookback.diagrams.truth import held, preserves_rng
from lookback.figures.diagram import Diagram, Panel
from lookback.figures.frames import Frames, frames
from lookback.transformer import Transformer, TransformerConfig

SIZES = {"B": 2, "S": 5, "T": 3, "d_model": 6, "V": 13}
BOXES = """
 src   | word               | source words   | .(source)                  | B S
 emb   | learned slim w106  | embedding      | e_source/mul               | B S d_model
 pos   | op slim            | positions      | positions#1                | S d_model
 at    | plus               |                | e_source/add               | B S d_model
 att   | learned slim w106  | self-attention | encoder.layers.0.self_attention[0]
 sum1  | plus               |                | encoder.layers.0/add#1
 nrm1  | learned pill slim  | norm           | encoder.layers.0.norm_self_attention
 ffn   | learned slim w106  | feed-forward   | encoder.layers.0.feed_forward
 sum2  | plus               |                | encoder.layers.0/add#2
 nrm2  | learned pill slim  | norm           | encoder.layers.0.norm_feed_forward
 tgt   | word               | target so far  | .(target)                  | B T
 temb  | learned slim w106  | embedding      | e_target/mul               | B T d_model
 tpos  | op slim            | positions      | positions#2                | T d_model
 tat   | plus               |                | e_target/add               | B T d_model
 tatt  | learned slim w106  | self-attention / masked | D.self_attention[0]
 tsum1 | plus               |                | D/add#1
 tnrm1 | learned pill slim  | norm           | D.norm_self_attention
 cross | learned slim w106  | cross-attention | D.cross_attention[0]
 tsum2 | plus               |                | D/add#2
 tnrm2 | learned pill slim  | norm           | D.norm_cross_attention
 tffn  | learned slim w106  | feed-forward   | D.feed_forward
 tsum3 | plus               |                | D/add#3
 tnrm3 | learned pill slim  | norm           | D.norm_feed_forward
 lin   | learned slim w106  | scores         | e_target.scores            | B T V
 out   | name               | next word
""".replace("D.", "decoder.layers.0.").replace("D/", "decoder.layers.0/")
ROWS = """
 .    .    .     out
 .    .    .     lin-22
 +22
 .    .    .     tnrm3
 .    .    .     tsum3
 .    .    tffn  .
 .    .    .     tnrm2
 .    .    .     tsum2
 .    .    cross .
 nrm2 .    .     tnrm1
 sum2 .    .     tsum1
 .    ffn  .     .
 -34
 .    .    tatt  .
 nrm1 .    .     .
 sum1 .    .     .
 .    att  .     .
 +22
 at   pos  tpos  tat
 emb+24 .  .     temb-22
 src+24 .  .     tgt-22
"""
ARROWS = """
 src -> emb -> at
 pos -> at
 at => sum1 => nrm1 => sum2 => nrm2
 at -> att -> sum1
 nrm1 -> ffn -> sum2
 tgt -> temb -> tat
 tpos -> tat
 tat => tsum1 => tnrm1 => tsum2 => tnrm2 => tsum3 => tnrm3 => lin => out
 tat -> tatt -> tsum1
 tnrm1 -> cross -> tsum2
 tnrm2 -> tffn -> tsum3
 nrm2 |-> cross | c2 memory
"""
ABOUT = ("lookback.transformer:Transformer",)
LEFT = (
    "dropout, the masks as inputs; one layer stands for N, the softmax for the next "
    "word's choice"
)
LINKS = {
    "emb": "transformer", "pos": "positions", "att": "multihead", "nrm1": "layernorm",
    "ffn": "encoder#eq-2", "tatt": "decoder", "cross": "decoder", "lin": "transformer",
}  # fmt: skip
ENCODER = "emb pos at att sum1 nrm1 ffn sum2 nrm2"
DECODER = "temb tpos tat tatt tsum1 tnrm1 cross tsum2 tnrm2 tffn tsum3 tnrm3 lin"


def panel() -> Panel:
    """Draw the encoder on the left, the decoder on the right."""
    return Panel(
        boxes=BOXES,
        grid=" | 120 250 400 530\n" + ROWS,
        phone=" | 32 98 224 291\n" + ROWS,
        arrows=ARROWS,
        groups=f"""
         encoder layer, $N$ × | att sum1 nrm1 ffn sum2 nrm2 | end
         decoder layer, $N$ × | tatt tsum1 tnrm1 cross tsum2 tnrm2 tffn tsum3 tnrm3
          | {ENCODER}
          | {DECODER}
        """,
        links=LINKS,
        gap=19,
    )


def box() -> Panel:
    """Draw what goes in and out."""
    return Panel(
        boxes="""
         src | word    | source words  | .(source) | B S
         tgt | word    | target so far | .(target) | B T
         all | learned | Transformer   | .[0]      | B T V
         out | name    | next word
        """,
        arrows="src -> all\n tgt -> all -> out",
        over=panel(),
        covers={"all": f"{ENCODER} {DECODER}"},
    )


def towers() -> Panel:
    """Draw the encoder, the decoder, and the memory that goes from one to the other."""
    return Panel(
        boxes="""
         src | word    | source words  | .(source) | B S
         tgt | word    | target so far | .(target) | B T
         enc | learned | encoder / reads the source  | .encode[0] | B S d_model
         dec | learned | decoder / writes the target | e_target.scores | B T V
         out | name    | next word
        """,
        arrows="""
         src -> enc
         tgt -> dec -> out
         enc.nrm2 |-> dec.tsum2 | c2 memory
        """,
        links={"enc": "encoder", "dec": "decoder"},
        over=panel(),
        covers={"enc": ENCODER, "dec": DECODER},
    )


def blocks() -> Panel:
    """Draw the sublayers, each with its residual connection and its norm in one box."""
    return Panel(
        boxes="""
 src   | word      | source words      | .(source) | B S
 emb   | learned   | embedding / and positions | e_source/add | B S d_model
 att   | learned   | self-attention    | encoder.layers.0.norm_self_attention
 ffn   | learned   | feed-forward      | encoder.layers.0.norm_feed_forward
 tgt   | word      | target so far     | .(target) | B T
 temb  | learned   | embedding / and positions | e_target/add | B T d_model
 tatt  | learned   | self-attention / masked | decoder.layers.0.norm_self_attention
 cross | learned   | cross-attention   | decoder.layers.0.norm_cross_attention
 tffn  | learned   | feed-forward      | decoder.layers.0.norm_feed_forward
 lin   | learned slim w106 | scores    | e_target.scores | B T V
 out   | name      | next word
""",
        arrows="""
         src -> emb -> att -> ffn
         tgt -> temb -> tatt -> cross -> tffn
         tffn.tnrm3 -> lin -> out
         ffn.nrm2 |-> cross | c2 memory
        """,
        groups="""
         encoder layer, $N$ × | att ffn | end
         decoder layer, $N$ × | tatt cross tffn
          | emb att ffn
          | temb tatt cross tffn lin
        """,
        links=LINKS,
        over=panel(),
        covers={
            "emb": "emb pos at", "att": "att sum1 nrm1", "ffn": "ffn sum2 nrm2",
            "temb": "temb tpos tat", "tatt": "tatt tsum1 tnrm1",
            "cross": "cross tsum2 tnrm2", "tffn": "tffn tsum3 tnrm3",
        },
    )  # fmt: skip


def hold(panel: Panel) -> Panel:
    """Hold the panel against a Transformer of one layer a side."""
    config = TransformerConfig(N=1, d_model=6, h=3, d_ff=7)
    source = torch.tensor([[4, 7, 10, 3, 1], [8, 5, 2, 9, 6]])
    target = torch.tensor([[2, 5, 9], [2, 11, 12]])
    mask = torch.ones_like(source).bool()
    model = Transformer(config, 11, 13)
    return held(panel, model, lambda model: model(source, mask, target), SIZES)


@preserves_rng
def draw() -> Diagram:
    return Diagram(hold(panel()), about=ABOUT, left=LEFT)


@preserves_rng
def zoom() -> Frames:
    """Draw the Transformer from outside to inside, in the same outlines."""
    depths = {
        "One box": (box(), ""),
        "Two towers": (towers(), ""),
        "Blocks": (blocks(), "residual connections and norms, inside the boxes"),
        "All parts": (panel(), LEFT),
    }
    return frames(
        {
            name: Diagram(hold(each), about=ABOUT, left=left)
            for name, (each, left) in depths.items()
        },
        chosen=[*depths],
        first="One box",
        scroll=True,
    )
