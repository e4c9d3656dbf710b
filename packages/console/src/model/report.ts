/** A report of a rejected request that you can share. It contains no values that may be secret. */
import type { ConsoleDiagnosis, ConsoleRequest } from './wire.ts'

/** Headers whose values are not secret. */
const SHOWN = new Set(['host', 'x-signature-algorithm', 'x-signature-version', 'x-timestamp'])

/** Formats the report. It contains only the names and lengths of the query parameters and of the app key. */
export function formatReport(request: ConsoleRequest, diagnosis: ConsoleDiagnosis['diagnosis']): string {
  const { method, path, status, errorCode, protocol, headerNames, requestId } = request
  const lines = [
    `${protocol} ${method} ${path}`,
    `response: ${status}${errorCode === undefined ? '' : ` ${errorCode}`}`,
    `request id: ${requestId}`,
    `headers: ${headerNames.join(', ')}`,
  ]
  const canonical = diagnosis?.canonical
  if (diagnosis?.rejection !== undefined) {
    const [reason = ''] = diagnosis.rejection.message.split('; expected the signature of ', 1)
    lines.push(`rejected: ${diagnosis.rejection.code}: ${reason}`)
  }
  if (canonical === undefined) return lines.join('\n')
  lines.push('canonical string:')
  if (canonical.path !== undefined) lines.push(`  path: ${canonical.path}`)
  for (const { name, source, text } of canonical.entries) {
    const value = text.slice(name.length + 1)
    lines.push(`  ${source}: ${name}=${SHOWN.has(name) ? value : `<${value.length} characters>`}`)
  }
  lines.push(`  digest: ${canonical.digest ? `<${canonical.digest.length} characters>` : 'none'}`)
  return lines.join('\n')
}
