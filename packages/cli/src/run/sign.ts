/** Runs `brokerwire sign`. */
import { escapeControlChars } from '@brokerwire/core'
import { escapeJsonControlChars } from '@brokerwire/core/internal'
import { createSigner, fromUrl } from '@brokerwire/signer'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readBytes } from '../input.ts'
import { readCredentials, readSettings, type SettingFlags } from '../settings/read-settings.ts'
import { rejectSecret } from '../settings/reject-secret.ts'
import { type CapturedContent, toContent } from '../signature/captured.ts'

interface SignFlags extends SettingFlags {
  readonly body?: string
  readonly bodyFile?: string
  readonly stream?: boolean
  readonly algorithm?: 'HMAC-SHA1' | 'HMAC-SHA256'
  readonly apiVersion?: 'v2' | 'v3'
  readonly canonical?: boolean
  readonly json?: boolean
}

interface Signed {
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly canonical: string
  /** The signed body or message, in the format of a captured request. */
  readonly content: CapturedContent
}

export const run: Run<SignFlags> = async ({ args, flags, io }) => {
  if (flags.body !== undefined && flags.bodyFile !== undefined)
    throw optionError('--body', 'must not be given together with --body-file')
  if (flags.stream && flags.apiVersion !== undefined)
    throw optionError('--api-version', 'must not be given together with --stream: streams have no version')
  if (flags.stream && args[0] !== undefined)
    throw optionError('<url>', 'must not be given together with --stream: a stream is signed without one')
  // The credentials are read first, because after that errors do not show the secret.
  const credentials = await readCredentials(await readSettings(flags, io), io)
  const body = flags.bodyFile === undefined ? flags.body : await readBytes(flags.bodyFile)
  rejectSecret(credentials.appSecret, listValues(args[0], body))
  const signer = createSigner({
    ...credentials,
    algorithm: flags.algorithm,
    streamAlgorithm: flags.algorithm,
  })
  const signHttp = async (target: string | readonly string[] | undefined): Promise<Signed> => {
    if (typeof target !== 'string') throw optionError('<url>', 'must be an absolute URL; received nothing')
    const { url, headers, canonical } = await signer.sign({ ...fromUrl(target), body })
    const version = flags.apiVersion === undefined ? {} : { 'x-version': flags.apiVersion }
    return { url, headers: { ...headers, ...version }, canonical, content: toContent(body) }
  }
  const signStream = async (bytes: Uint8Array): Promise<Signed> => {
    // `canonical` is read by its name, because it is a getter, which spreading would not copy.
    const { headers, canonical } = await signer.signStream(bytes)
    return { url: undefined, headers, canonical, content: { requestHex: Buffer.from(bytes).toString('hex') } }
  }
  const { url, headers, canonical, content } = flags.stream
    ? await signStream(requireBytes(body))
    : await signHttp(args[0])
  if (flags.json) {
    const shown = { url, headers, ...content, ...(flags.canonical ? { canonical } : {}) }
    io.out(escapeJsonControlChars(JSON.stringify(shown)))
    return EXIT.done
  }
  if (flags.canonical) {
    // The canonical string is printed alone. Except on a terminal, it is printed byte for byte as it was
    // signed, so that it can be compared.
    io.out(io.isOutTerminal ? escapeControlChars(canonical) : canonical)
    return EXIT.done
  }
  if (url !== undefined) io.out(escapeControlChars(url))
  for (const [name, value] of Object.entries(headers)) io.out(escapeControlChars(`${name}: ${value}`))
  return EXIT.done
}

/** Returns the values that are printed, with the names of their options. */
function listValues(
  target: string | readonly string[] | undefined,
  body: string | Uint8Array | undefined,
): readonly (readonly [string, string])[] {
  const names =
    typeof target === 'string' ? [...target.matchAll(/[?&]([^=&]*)/g)].map(([, name = '']) => name) : []
  return [
    ...[String(target ?? ''), ...names].map((text) => ['<url>', text] as const),
    ['--body', typeof body === 'string' ? body : new TextDecoder().decode(body)],
  ]
}

function requireBytes(body: string | Uint8Array | undefined): Uint8Array {
  if (body instanceof Uint8Array) return body
  throw optionError('--stream', 'must be given together with --body-file, a file with the serialized request')
}
