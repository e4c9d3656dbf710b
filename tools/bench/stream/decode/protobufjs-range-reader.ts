/**
 * Takes the place of the decoders' reader in one contender: the same methods over protobufjs' `Reader`. As far as the
 * measured messages go; the laxness of protobuf-es is not its own.
 */
import type { UnknownField } from '@bufbuild/protobuf'
import protobuf from 'protobufjs/minimal.js'
import { bigintOf } from './bigint.ts'

export const MAX_DEPTH = 100

export function tooDeep(typeName: string): never {
  throw new Error(typeName)
}

export class RangeReader {
  readonly #reader: protobuf.Reader
  constructor(bytes: Buffer, start: number, end: number) {
    this.#reader = protobuf.Reader.create(bytes)
    this.#reader.pos = start
    this.#reader.len = end
  }

  get pos(): number {
    return this.#reader.pos
  }

  tag(): number {
    return this.#reader.tag()
  }

  limit(): number {
    const length = this.#reader.uint32()
    return this.#reader.pos + length
  }

  uint32(): number {
    return this.#reader.uint32()
  }

  int32(): number {
    return this.#reader.int32()
  }

  int64(): bigint {
    return bigintOf(this.#reader.int64())
  }

  string(): string {
    return this.#reader.stringVerify()
  }

  unknown(tag: number, groups: number): UnknownField {
    const start = this.#reader.pos
    this.#reader.skipType(tag & 7, MAX_DEPTH - groups, tag >>> 3)
    return {
      no: tag >>> 3,
      wireType: tag & 7,
      data: new Uint8Array(this.#reader.raw(start, this.#reader.pos)),
    }
  }
}
