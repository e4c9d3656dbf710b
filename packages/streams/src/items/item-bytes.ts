/**
 * What items and notices hold, in bytes: the measure of what may wait.
 *
 * Two bytes for each UTF-16 unit of every text, the bytes of unknown fields, and so many for the objects around them.
 * The engine often keeps a text in half of that, never in more.
 */
import type { UnknownField } from '@bufbuild/protobuf'

/** An item's objects: itself, its functions, the heads of its texts, its places in queues. */
export const ITEM_BYTES = 512
/** What a unit of JSON becomes, parsed, at the most: that is `{}` and a comma, again and again. */
export const PARSED_UNIT_BYTES = 24
/** The objects of one unknown field. */
const FIELD_BYTES = 256

export const NO_FIELDS: readonly UnknownField[] = Object.freeze([])

/** Of an event's unknown fields: two bytes of a message may become as much as all this. */
export function fieldBytes({ unknownFields }: { readonly unknownFields: readonly UnknownField[] }): number {
  return unknownFields.length === 0
    ? 0
    : unknownFields.reduce((sum, { data }) => sum + FIELD_BYTES + data.length, 0)
}

/** A notice's texts may be anywhere in it. */
export function noticeBytes(notice: object): number {
  return ITEM_BYTES + 2 * JSON.stringify(notice).length
}
