/**
 * Estimates of the memory of items and notices, in bytes. The bounds of the queue count these.
 *
 * An item takes two bytes for each UTF-16 unit of its strings, the bytes of unknown fields, and a constant for its objects.
 * V8 often stores a string in half of that, and never needs more.
 */
import type { UnknownField } from '@bufbuild/protobuf'

/** Memory of an item without the characters of its strings: its objects, and its slots in queues. */
export const ITEM_BYTES = 512
/** The most memory of parsed JSON for each UTF-16 unit of its source. The worst case is a long array of empty objects. */
export const PARSED_UNIT_BYTES = 24
/** Memory of one unknown field without its data. */
const FIELD_BYTES = 256

/** Shared by all frames without unknown fields. */
export const NO_FIELDS: readonly UnknownField[] = Object.freeze([])

/** Returns the memory of a frame's unknown fields. A field of two bytes on the wire takes more than {@link FIELD_BYTES}. */
export function fieldBytes({ unknownFields }: { readonly unknownFields: readonly UnknownField[] }): number {
  return unknownFields.length === 0
    ? 0
    : unknownFields.reduce((sum, { data }) => sum + FIELD_BYTES + data.length, 0)
}

/**
 * Returns the memory of a notice or a state. The JSON is counted, because it is at least as long as the
 * strings in it.
 */
export function noticeBytes(notice: object): number {
  return ITEM_BYTES + 2 * JSON.stringify(notice).length
}
