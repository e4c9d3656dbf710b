/** Where two canonical strings part, and the likely cause. */
import type { Comparison } from '@brokerwire/signer'

/** @param props.names - Whose string the first is, and the second. */
export function ComparisonText({
  found,
  names: [one, other],
}: {
  readonly found: Comparison
  readonly names: readonly [string, string]
}) {
  if (found.equal) return <p class="note good">{found.text}</p>
  const { part, name, byte, ours, theirs, causes } = found
  return (
    <div class="comparison" role="status">
      <p>
        They part at byte {byte}: the {part} {name === '' ? '' : <code>{name}</code>}
      </p>
      <dl class="facts">
        <dt>{one}</dt>
        <dd>
          <code>{ours ?? '(absent)'}</code>
        </dd>
        <dt>{other}</dt>
        <dd>
          <code>{theirs ?? '(absent)'}</code>
        </dd>
      </dl>
      <ul class="causes">
        {causes.map(({ cause, explanation }) => (
          <li key={cause}>
            <b>{cause}</b> {explanation}
          </li>
        ))}
      </ul>
    </div>
  )
}
