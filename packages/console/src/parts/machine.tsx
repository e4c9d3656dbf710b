/** The diagram of the token's state machine, from the transition table of the simulator. The current state is highlighted. */
import { computed } from '@preact/signals'
import { useId } from 'preact/hooks'
import { layOut, STATE_HEIGHT, STATE_WIDTH } from '../model/machine-layout.ts'
import { hello } from '../model/store.ts'

const layout = computed(() => layOut(hello.value?.tokenMoves ?? []))

/** @param props.next - The state that follows if there is no action. */
export function Machine({ state, next }: { readonly state?: string; readonly next?: string | undefined }) {
  const { width, height, states, moves } = layout.value
  const tip = useId()
  const isNext = ({ from, to }: { readonly from: string; readonly to: string }): boolean =>
    from === state && to === next
  const label = state === undefined ? 'The states of an access token' : `State ${state}`
  return (
    <svg class="machine" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <defs>
        <marker id={tip} viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path class="tip" d="M0 0L8 4L0 8z" />
        </marker>
      </defs>
      {[...moves]
        .sort((a, b) => Number(isNext(a)) - Number(isNext(b)))
        .map(({ from, to, path, on }) => (
          <path
            key={`${from} ${to}`}
            class={isNext({ from, to }) ? 'move next' : from === state ? 'move open' : 'move'}
            d={path}
            marker-end={`url(#${tip})`}
          >
            <title>{`${from} to ${to}: ${on.join(', or ')}`}</title>
          </path>
        ))}
      {states.map(({ name, x, y, isFinal }) => (
        <g key={name} class={name === state ? `state on s-${name.toLowerCase()}` : 'state'}>
          <rect x={x} y={y} width={STATE_WIDTH} height={STATE_HEIGHT} rx={isFinal ? 4 : STATE_HEIGHT / 2} />
          <text x={x + STATE_WIDTH / 2} y={y + STATE_HEIGHT / 2 + 4} text-anchor="middle">
            {name}
          </text>
        </g>
      ))}
    </svg>
  )
}
