/**
 * Reads messages whose fields are texts or messages of that kind: one loop over a layout, because a function for each
 * message would be seven times as much code. It accepts and rejects the same input as such functions.
 */
// #region Node: reader
import type { UnknownField } from '@bufbuild/protobuf'
import { MAX_DEPTH, RangeReader } from './range-reader.ts'
// #endregion

/** A message of a schema. Its field numbers have no gaps. */
export interface Layout {
  /** The largest field number. */
  readonly last: number
  /** Fields that are messages, by number; the others are texts. */
  readonly parts: readonly (Part | undefined)[]
}

/** A field that is a message, or a list of them. */
export interface Part {
  readonly name: string
  readonly layout: Layout
  /** If not, several values are merged. */
  readonly isList: boolean
}

/** A message after reading. */
export interface TextFields {
  /** By number; `undefined` if missing or empty. */
  readonly texts: (string | undefined)[]
  /** By number. */
  readonly parts: TextFields[][]
  unknown: UnknownField[] | undefined
  /** Whether the message or one of its parts has unknown fields. */
  hasUnknown: boolean
}

/** @throws Error if the bytes from `start` to `end` are not a message of the layout. */
export function readTextFields(layout: Layout, bytes: Buffer, start: number, end: number): TextFields {
  return read(new RangeReader(bytes, start, end), end, layout, 1)
}

const NO_PARTS: TextFields[][] = []

function read(
  reader: RangeReader,
  end: number,
  layout: Layout,
  depth: number,
  before?: TextFields | undefined,
): TextFields {
  const { last, parts } = layout
  const fields = before ?? {
    texts: new Array(last + 1),
    parts: parts.length === 0 ? NO_PARTS : [],
    unknown: undefined,
    hasUnknown: false,
  }
  while (reader.pos < end) {
    const tag = reader.tag()
    const no = tag >>> 3
    const part = parts[no]
    if (part !== undefined) {
      const list = fields.parts[no] ?? []
      fields.parts[no] = list
      const known = part.isList ? undefined : list[0]
      const inner = read(reader, reader.limit(), part.layout, depth + 1, known)
      if (known === undefined) list.push(inner)
      if (inner.hasUnknown) fields.hasUnknown = true
    } else if (no <= last) fields.texts[no] = reader.string() || undefined
    else {
      fields.hasUnknown = true
      fields.unknown ??= []
      fields.unknown.push(reader.unknown(tag, MAX_DEPTH - depth))
    }
  }
  return fields
}
