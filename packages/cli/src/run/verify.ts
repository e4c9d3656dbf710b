/** Runs `brokerwire verify`. */
import { escapeControlChars } from '@brokerwire/core'
import { escapeJsonControlChars, isRecord } from '@brokerwire/core/internal'
import { createVerifier, fromUrl, type VerifyResult } from '@brokerwire/signer'
import { fileError } from '../cli-error.ts'
import { EXIT } from '../exit-status.ts'
import type { Run } from '../frame/definition.ts'
import { parseDuration } from '../number-option.ts'
import { readCredentials, readSettings, type SettingFlags } from '../settings/read-settings.ts'
import { type CapturedFlags, getFileName, readCaptured, withFileName } from '../signature/captured.ts'

type Flags = SettingFlags & CapturedFlags & { readonly window: string; readonly json?: boolean }

const DAY_MS = 86_400_000

/**
 * Chooses the time of the verification. The verifier's window is at most a day. If the given window is
 * longer, a request within it is verified at its own timestamp.
 */
function chooseVerificationTime(headers: unknown, windowMs: number): number {
  const entries = isRecord(headers) ? Object.entries(headers) : []
  const [, timestamp] = entries.find(([name]) => name.toLowerCase() === 'x-timestamp') ?? []
  const atMs = Date.parse(String(timestamp))
  const nowMs = Date.now()
  return Math.abs(atMs - nowMs) <= windowMs ? atMs : nowMs
}

/** Returns the host of a URL without a path, in the form that `fetch` sends and the client signs. */
function getSignedHost(url: string): string | undefined {
  if (!/^[^/]*\/\/[^/?#]+$/.test(url)) return undefined
  try {
    return fromUrl(url).host
  } catch {
    return undefined
  }
}

export const run: Run<Flags> = async ({ args, flags, io }) => {
  const file = String(args[0])
  const captured = await readCaptured(file, flags, io)
  const { headers } = captured
  const windowMs = parseDuration(flags.window) ?? 0
  const atMs = chooseVerificationTime(headers, windowMs)
  const { appKey, appSecret } = await readCredentials(await readSettings(flags, io), io)
  const { headerCollision, nameOrder } = 'requestBytes' in captured ? {} : captured
  const verifier = createVerifier({
    headerCollision,
    nameOrder,
    secretFor: (key) => (key === appKey ? appSecret : undefined),
    windowMs: Math.min(windowMs, DAY_MS),
    now: () => atMs,
    // Nonces are not checked, because a captured request was already sent.
    nonces: false,
  })
  let result: VerifyResult
  if ('requestBytes' in captured)
    result = await verifier
      .verifyStream({ headers, requestBytes: captured.requestBytes })
      .catch(withFileName(file))
  else {
    const { body, host: given } = captured
    const [, scheme, authority, target = ''] =
      /^(https?:\/\/)([^/?#]+)([^#]*)/i.exec('url' in captured ? captured.url : '') ?? []
    const isText = given === undefined || typeof given === 'string'
    const host = scheme !== undefined && isText ? getSignedHost(`${scheme}${given ?? authority}`) : undefined
    if (host === undefined) {
      const isHostWrong = scheme !== undefined && given !== undefined
      throw fileError(
        `${getFileName(file)}:`,
        isHostWrong ? 'host must be a hostname[:port]' : 'url must be an absolute URL',
      )
    }
    const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
    const path = target.startsWith('/') ? target : `/${target}`
    result = await verifier.verify({ host, target: path, headers, body: bytes }).catch(withFileName(file))
  }
  if (flags.json) io.out(escapeJsonControlChars(JSON.stringify(result)))
  else if (result.ok) io.out('the signature is valid')
  else {
    const { rule, header, reason, canonical } = result
    io.out(
      escapeControlChars(['rejected', rule, header, reason].filter((part) => part !== undefined).join(': ')),
    )
    if (canonical !== undefined) io.out(escapeControlChars(`expected canonical string: ${canonical}`))
  }
  return result.ok ? EXIT.done : EXIT.no
}
