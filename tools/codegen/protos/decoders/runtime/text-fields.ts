/**
 * Reads messages whose fields are texts and such messages again, by their numbers: one loop over a layout, where a function for
 * each message would be seven times as much code. It takes and refuses what `range-reader.ts` and the functions do.
 */
import type { UnknownField } from '@bufbuild/protobuf'
import { MAX_DEPTH, RangeReader } from './range-reader.ts'

/** A message of a schema. Its numbers have no gaps. */
export interface Layout {
  /** The largest number of a field. */
  readonly last: number
  /** Fields that are messages, by number; the others are texts. */
  readonly parts: readonly (Part | undefined)[]
}

/** A field that is a message, or a list of them. */
export interface Part {
  readonly name: string
  readonly layout: Layout
  /** Where not, what comes of it is put together. */
  readonly isList: boolean
}

/** A message as it was read. */
export interface TextFields {
  /** By number; `undefined` for those that did not come, or are empty. */
  readonly texts: (string | undefined)[]
  /** By number. */
  readonly parts: TextFields[][]
  unknown: UnknownField[] | undefined
  /** Whether there are unknown fields, in its parts as well. */
  hasUnknown: boolean
}

/** @throws Error where the bytes from `start` up to `end` are no such message. */
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
