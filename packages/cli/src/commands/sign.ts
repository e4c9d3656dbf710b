/** `brokerwire sign URL`: the headers that a request needs, and on demand the string that was signed. */
import { printable, printableJson } from '@brokerwire/core'
import { createSigner, fromUrl } from '@brokerwire/signer'
import { Option } from 'commander'
import type { AddCommand } from '../add-command.ts'
import { optionError } from '../cli-error.ts'
import { addCredentialOptions, type CredentialFlags, readCredentials } from '../credentials.ts'
import { readBytes } from '../input.ts'

interface SignFlags extends CredentialFlags {
  readonly body?: string
  readonly bodyFile?: string
  readonly stream?: boolean
  readonly algorithm?: 'HMAC-SHA1' | 'HMAC-SHA256'
  readonly canonical?: boolean
  readonly json?: boolean
}

export const addSign: AddCommand = (program, io, done) => {
  const command = program
    .command('sign')
    .description('sign a request: prints the URL and the headers to send')
    .argument('[url]', 'absolute URL of the request')
    .option('--body <text>', 'body, exactly as it will be sent')
    .option('--body-file <file>', 'file with the body, exactly as it will be sent')
    .option('--stream', 'sign the serialized stream request in --body-file instead of an HTTP request')
    .addOption(
      new Option('--algorithm <name>', 'default: HMAC-SHA1, for streams HMAC-SHA256').choices([
        'HMAC-SHA1',
        'HMAC-SHA256',
      ]),
    )
    .option('--canonical', 'print the string that was signed, before its encoding')
    .option('--json', 'print one JSON object')
  addCredentialOptions(command).action(async (url: string | undefined, flags: SignFlags) => {
    if (flags.body !== undefined && flags.bodyFile !== undefined)
      throw optionError('--body', 'one of --body and --body-file')
    const body = flags.bodyFile === undefined ? flags.body : await readBytes(flags.bodyFile)
    const signer = createSigner({
      ...(await readCredentials(flags, io)),
      algorithm: flags.algorithm,
      streamAlgorithm: flags.algorithm,
    })
    const signed = flags.stream
      ? { url: undefined, ...pick(await signer.signStream(requireBytes(body))) }
      : await signHttp(url)
    if (flags.json)
      io.out(
        printableJson(
          JSON.stringify(flags.canonical ? signed : { url: signed.url, headers: signed.headers }),
        ),
      )
    else {
      if (signed.url !== undefined) io.out(printable(signed.url))
      for (const [name, value] of Object.entries(signed.headers)) io.out(printable(`${name}: ${value}`))
      if (flags.canonical) io.out(printable(`canonical: ${signed.canonical}`))
    }
    done(0)

    async function signHttp(target: string | undefined): Promise<SignedText> {
      if (target === undefined) throw optionError('url', 'an absolute URL')
      const signature = await signer.sign({ ...fromUrl(target), body })
      return { url: signature.url, ...pick(signature) }
    }
  })
}

interface SignedText {
  readonly url: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly canonical: string
}

function pick(signed: { readonly headers: Readonly<Record<string, string>>; readonly canonical: string }): {
  readonly headers: Readonly<Record<string, string>>
  readonly canonical: string
} {
  return { headers: signed.headers, canonical: signed.canonical }
}

function requireBytes(body: string | Uint8Array | undefined): Uint8Array {
  if (body instanceof Uint8Array) return body
  throw optionError('--body-file', 'a file with the serialized request, together with --stream')
}
