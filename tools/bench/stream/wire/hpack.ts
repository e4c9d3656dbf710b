/**
 * Header blocks (RFC 7541) without tables and without Huffman coding, so that they depend on nothing that was sent
 * before and can be built once.
 */

/** A length with a prefix of 7 bits (section 5.1), the Huffman bit zero. */
function encodeLength(value: number): number[] {
  if (value < 127) return [value]
  const bytes = [127]
  let rest = value - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return [...bytes, rest]
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([Buffer.from(encodeLength(bytes.length)), bytes])
}

/** Each header as a literal without indexing (section 6.2.2). Names are lower-case. */
export function encodeHeaderBlock(headers: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(
    headers.flatMap(([name, value]) => [Buffer.of(0), encodeText(name), encodeText(value)]),
  )
}
