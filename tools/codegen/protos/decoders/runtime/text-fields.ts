/**
 * Decodes messages whose fields are strings or such messages, with one loop over a layout. A function for
 * each message would be seven times as much code. The loop accepts and rejects the same input as such
 * functions.
 */
// #region Node: reader
import type { UnknownField } from '@bufbuild/protobuf'
import { MAX_DEPTH, RangeReader } from './range-reader.ts'
// #endregion

/** The fields of a message type. Their numbers have no gaps. */
export interface Layout {
  /** The largest field number. */
  readonly last: number
  /** Message fields by number. All other fields are strings. */
  readonly parts: readonly (Part | undefined)[]
}

/** A field that is a message, or a list of messages. */
export interface Part {
  readonly name: string
  readonly layout: Layout
  /** Whether the field is a list. If not, several values are merged. */
  readonly isList: boolean
}

/** A decoded message. */
export interface TextFields {
  /** Strings by field number. `undefined` if missing or empty. */
  readonly texts: (string | undefined)[]
  /** Messages by field number. */
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
