"""The decisions of a run as a Parquet file, a row each, and a card next to it that says how it was made."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from comptoir import __version__
from comptoir.arena.game_record import GameRecord, RunDefinition, labels, match_of
from comptoir.arena.schedule import GameSpec
from comptoir.engine.game import Game, get_game
from comptoir.engine.match import Match
from comptoir.errors import OptionError
from comptoir.extras import needs

if TYPE_CHECKING:
    import pyarrow

Games = Sequence[tuple[GameSpec, GameRecord]]

GROUP = 8_192  # rows that are written at once
COLUMNS = {
    "match": "which match: its deal and the bot in each seat",
    "ply": "how many actions were played before",
    "seat": "who decides",
    "bot": "who has that seat",
    "observation": "what the seat may know, in bytes",
    "action_mask": "what it may do, true by the number of the action",
    "action": "what it did",
    "result": "how the match came out for the seat: 1 for winning alone, as much lost by the others together",
    "points": "its points at the end",
}


Decision = dict[str, "str | int | float | NDArray[np.uint8] | NDArray[np.bool_]"]  # by its columns


def load_pyarrow() -> ModuleType:
    with needs("lab"):
        import pyarrow
        import pyarrow.parquet
    return cast(ModuleType, pyarrow)


def dataset_card_path(path: Path) -> Path:
    """Where the card of a file is."""
    return path.with_name(f"{path.name}.md")


def check_parquet(path: Path) -> None:
    """Finds now what would fail after hours."""
    load_pyarrow()
    if path.suffix != ".parquet":
        raise OptionError(f"{path}: expected a name that ends in .parquet")
    if not path.parent.is_dir():
        raise OptionError(f"{path}: there is no folder {path.parent}")


def save(path: Path, definition: RunDefinition, games: Games) -> int:
    """Writes the file and its card; returns how many decisions there are."""
    check_parquet(path)
    pa = load_pyarrow()
    game = get_game(definition.game)
    about = _about(definition, game, games)
    schema = _schema(pa, game).with_metadata({"comptoir": json.dumps(about)})
    rows = 0
    try:
        with pa.parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for group in _groups(definition, games):
                writer.write_table(_table(pa, schema, group))
                rows += len(group)
        dataset_card_path(path).write_text(
            _card(path.name, about | {"decisions": rows}, game), encoding="utf-8"
        )
    except OSError as error:
        raise OptionError(f"{path} cannot be written: {error.strerror or error}") from None
    return rows


def _schema(pa: ModuleType, game: Game) -> pyarrow.Schema:
    types = {
        "match": pa.string(),
        "ply": pa.int32(),
        "seat": pa.int8(),
        "bot": pa.dictionary(pa.int16(), pa.string()),
        "observation": pa.list_(pa.uint8(), game.observation.size),
        "action_mask": pa.list_(pa.bool_(), len(game.actions)),
        "action": pa.int16(),
        "result": pa.float32(),
        "points": pa.int32(),
    }
    return pa.schema([(name, types[name]) for name in COLUMNS])


def _groups(definition: RunDefinition, games: Games) -> Iterator[list[Decision]]:
    group: list[Decision] = []
    for unit, played in games:
        group += _decisions(definition, unit, played)
        if len(group) >= GROUP:
            yield group
            group = []
    if group:
        yield group


def _decisions(definition: RunDefinition, unit: GameSpec, played: GameRecord) -> Iterator[Decision]:
    """The rows of a match."""
    names, match = labels(definition.bots), match_of(definition, unit, played.actions)
    results = results_of(played.winners, match.players)
    for ply, action in enumerate(played.actions):
        seat = int(match.records[ply]["turn"])
        observation, mask = _known(match, ply, seat)
        yield {
            "match": unit.key,
            "ply": ply,
            "seat": seat,
            "bot": names[unit.seating[seat]],
            "observation": observation,
            "action_mask": mask,
            "action": action,
            "result": results[seat],
            "points": played.points[seat],
        }


def _known(match: Match, ply: int, seat: int) -> tuple[NDArray[np.uint8], NDArray[np.bool_]]:
    p = match.records[ply]
    mask = np.zeros(len(match.game.actions), np.bool_)
    mask[match.game.legal(p, match.box)] = True
    return match.game.observe(p, match.box, seat), mask


def results_of(winners: Sequence[int], players: int) -> list[float]:
    """What a match brought each seat, as a batch's rewards say it."""
    won, lost = (players - len(winners)) / (len(winners) * (players - 1)), -1 / (players - 1)
    return [won if seat in winners else lost for seat in range(players)]


def _table(pa: ModuleType, schema: pyarrow.Schema, group: list[Decision]) -> pyarrow.Table:
    arrays = []
    for field in schema:
        values: list[Any] = [row[field.name] for row in group]
        if pa.types.is_fixed_size_list(field.type):
            flat = pa.array(np.concatenate(values), field.type.value_type)
            arrays.append(pa.FixedSizeListArray.from_arrays(flat, field.type.list_size))
        else:
            arrays.append(pa.array(values, field.type))
    return pa.Table.from_arrays(arrays, schema=schema)


def _about(definition: RunDefinition, game: Game, games: Games) -> dict[str, Any]:
    """How it was made, as data: the file holds it too."""
    components = game.read_components(definition.components)
    return {
        "comptoir": __version__,
        "game": game.name,
        "rules": game.version,
        "options": definition.options,
        "components": components.digest,
        "placeholders": components.placeholders,
        "own": definition.components,
        "bots": list(definition.bots),
        "seed": definition.seed,
        "matches": len(games),
        "replaced_bots": sum(len(played.failures) for _, played in games),
        "features": {name: [part.start, part.stop] for name, part in game.observation.slices.items()},
    }


def _card(name: str, about: dict[str, Any], game: Game) -> str:
    given = {key.replace("_", "-"): value for key, value in about["options"].items()}
    given |= {"bots": ",".join(about["bots"]), "seed": about["seed"], "games": about["matches"]}
    given |= {"components": "OWN.toml"} if about["own"] else {}
    given |= {"parquet": name}
    words = [word for key, value in given.items() for word in (f"--{key}", str(value))]
    command = shlex.join(["comptoir", "arena", game.name, *words])
    notes = [f"placeholders: {', '.join(about['placeholders'])}"] if about["placeholders"] else []
    notes += ["not those of the printed box: all tables are in the file's metadata"] if about["own"] else []
    lines = [
        f"# {name}",
        "",
        f"Decisions of bots in the game {game.name}, a row each: what the seat that decides may know, what",
        "it may do, what it did, and how the match came out for it. Nothing in a row tells more than its",
        "seat may know at that moment, but for the columns `result` and `points`, which are of the end.",
        "",
        "## How it was made",
        "",
        "```",
        command,
        "```",
        "",
        f"- Comptoir {about['comptoir']}, version {about['rules']} of the rules",
        f"- components {about['components']}" + "".join(f"; {note}" for note in notes),
        f"- {about['matches']:,} matches, {about['decisions']:,} decisions. Every deal is played from every"
        " seat, so matches of one deal are alike: split by deal, the number before the dash in `match`",
        f"- seats whose bot failed and was replaced by a passer-by: {about['replaced_bots']}",
        "",
        "## Columns",
        "",
        "| column | what it holds |",
        "|---|---|",
        *(f"| `{column}` | {means} |" for column, means in COLUMNS.items()),
        "",
        "## Pieces of an observation",
        "",
        "| piece | entries | shape | highest | what it says |",
        "|---|---|---|---|---|",
        *_pieces(game),
    ]
    return "\n".join(lines) + "\n"


def _pieces(game: Game) -> Iterator[str]:
    for piece in game.observation.pieces:
        own = game.observation.slices[piece.name]
        shape = " × ".join(map(str, piece.shape)) or "1"
        entries = f"{own.start}" if piece.size == 1 else f"{own.start} to {own.stop - 1}"
        yield f"| `{piece.name}` | {entries} | {shape} | {piece.high} | {piece.description} |"
