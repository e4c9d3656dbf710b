/** Runs `brokerwire sign`. */
import { printable, printableJson } from '@brokerwire/core'
import { createSigner, fromUrl } from '@brokerwire/signer'
import { optionError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { readBytes } from '../input.ts'
import { readCredentials, readSettings, type SettingFlags } from '../settings/read-settings.ts'

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
}

export const run: Run<SignFlags> = async ({ args, flags, io }) => {
  if (flags.body !== undefined && flags.bodyFile !== undefined)
    throw optionError('--body', 'one of --body and --body-file')
  if (flags.stream && flags.apiVersion !== undefined)
    throw optionError('--api-version', 'an HTTP request: streams have no version')
  // Before all that can fail: from then on no message shows the secret, wherever it was kept.
  const credentials = await readCredentials(await readSettings(flags, io), io)
  const body = flags.bodyFile === undefined ? flags.body : await readBytes(flags.bodyFile)
  const signer = createSigner({
    ...credentials,
    algorithm: flags.algorithm,
    streamAlgorithm: flags.algorithm,
  })
  const signHttp = async (target: string | readonly string[] | undefined): Promise<Signed> => {
    if (typeof target !== 'string') throw optionError('url', 'an absolute URL')
    const { url, headers, canonical } = await signer.sign({ ...fromUrl(target), body })
    const version = flags.apiVersion === undefined ? {} : { 'x-version': flags.apiVersion }
    return { url, headers: { ...headers, ...version }, canonical }
  }
  const { url, headers, canonical }: Signed = flags.stream
    ? { url: undefined, ...(await signer.signStream(requireBytes(body))) }
    : await signHttp(args[0])
  if (flags.json) {
    const shown = flags.canonical ? { url, headers, canonical } : { url, headers }
    io.out(printableJson(JSON.stringify(shown)))
    return EXIT.done
  }
  if (url !== undefined) io.out(printable(url))
  for (const [name, value] of Object.entries(headers)) io.out(printable(`${name}: ${value}`))
  if (flags.canonical) io.out(printable(`canonical: ${canonical}`))
  return EXIT.done
}

function requireBytes(body: string | Uint8Array | undefined): Uint8Array {
  if (body instanceof Uint8Array) return body
  throw optionError('--body-file', 'a file with the serialized request, together with --stream')
}
