/** Ways in which a body comes out differently although it means the same: what a proxy or a serializer does to it. */
import { isRecord, utf8Decode, utf8Encode } from '@brokerwire/core'

/** A body as somebody else may have written it. */
export interface BodyVariant {
  readonly cause: 'html-escapes' | 'ascii-escapes' | 'reserialized-json' | 'line-ending'
  readonly bytes: Uint8Array
}

const escapeWith = (pattern: RegExp) => (text: string) =>
  text.replace(pattern, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const escapeHtml = escapeWith(/[<>&\u2028\u2029]/g)
const escapeNonAscii = escapeWith(/[\u0080-\uffff]/g)

/** JSON with spaces behind separators, as Python writes it by default. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (!isRecord(value)) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, inner]) => `${JSON.stringify(key)}: ${spaced(inner)}`)
    .join(', ')}}`
}

/** The same value with the keys of every object sorted. */
function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  )
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** The variants of a body, the likeliest first, without those that are the body itself. */
export function bodyVariants(body: Uint8Array): readonly BodyVariant[] {
  const text = utf8Decode(body)
  if (text === undefined) return []
  const variants: [BodyVariant['cause'], string][] = [
    ['html-escapes', escapeHtml(text)],
    ['ascii-escapes', escapeNonAscii(text)],
    ['line-ending', `${text}\n`],
    ['line-ending', text.replace(/\r?\n$/, '')],
    ['line-ending', text.replace(/\r\n/g, '\n')],
  ]
  const parsed = parse(text)
  if (parsed !== undefined) {
    const { value } = parsed
    const texts = [value, sortKeys(value)].flatMap((one) => [
      JSON.stringify(one),
      spaced(one),
      JSON.stringify(one, null, 2),
    ])
    for (const one of texts) {
      variants.push(['reserialized-json', one])
      variants.push(['html-escapes', escapeHtml(one)])
      variants.push(['ascii-escapes', escapeNonAscii(one)])
    }
    variants.push(['html-escapes', JSON.stringify(value)])
  }
  return variants
    .filter(([, variant]) => variant !== text)
    .map(([cause, variant]) => ({ cause, bytes: utf8Encode(variant) }))
}
