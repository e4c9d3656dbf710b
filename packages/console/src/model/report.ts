/** A refused request as a text that can be given to anybody: without the values that a client may have kept secret. */
import type { ConsoleDiagnosis, ConsoleRequest } from './wire.ts'

/** Values of headers that everybody knows, or that are worth nothing a moment later. */
const SHOWN = new Set(['host', 'x-signature-algorithm', 'x-signature-version', 'x-timestamp'])

/** The report. Of the query, which may hold anything, and of the app key, it shows names and lengths. */
export function reportOf(request: ConsoleRequest, diagnosis: ConsoleDiagnosis['diagnosis']): string {
  const { method, path, status, errorCode, protocol, headerNames, requestId } = request
  const lines = [
    `${protocol} ${method} ${path}`,
    `answer: ${status}${errorCode === undefined ? '' : ` ${errorCode}`}`,
    `request id: ${requestId}`,
    `headers: ${headerNames.join(', ')}`,
  ]
  const canonical = diagnosis?.canonical
  if (diagnosis?.refusal !== undefined) {
    const [reason = ''] = diagnosis.refusal.message.split('; expected the signature of ', 1)
    lines.push(`refused: ${diagnosis.refusal.code}: ${reason}`)
  }
  if (canonical === undefined) return lines.join('\n')
  lines.push('signed string:')
  if (canonical.path !== undefined) lines.push(`  path: ${canonical.path}`)
  for (const { name, source, text } of canonical.entries) {
    const value = text.slice(name.length + 1)
    lines.push(`  ${source}: ${name}=${SHOWN.has(name) ? value : `<${value.length} characters>`}`)
  }
  lines.push(`  digest: ${canonical.digest ? `<${canonical.digest.length} characters>` : 'none'}`)
  return lines.join('\n')
}
