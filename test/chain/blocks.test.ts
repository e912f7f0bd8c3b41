import { expect, test } from 'vitest'
import { blocksOf } from '../../lib/chain/index.js'

const image = { mediaType: 'image/png', data: 'aGk=' }

test.each([
  [
    'Anthropic',
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
  ],
  ['pi', { type: 'image', data: 'aGk=', mimeType: 'image/png' }],
  ['chat completions', { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } }],
  ['responses', { type: 'input_image', image_url: 'data:image/png;base64,aGk=' }],
])('an image of %s is a block with its bytes', (_, block) => {
  const [shown] = blocksOf({ type: 'user', payload: { content: [block] } })
  expect(shown).toMatchObject({ kind: 'image', image })
})

test('an image that is only named has no bytes', () => {
  const block = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  const [shown] = blocksOf({ type: 'user', payload: { content: [block] } })
  expect(shown).toEqual({ kind: 'image', text: '[image_url]', image: undefined })
})

test('the images of a tool result are beside its text', () => {
  const content = [
    { type: 'text', text: 'a chart' },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
  ]
  const [shown] = blocksOf({ type: 'tool_result', payload: { tool_call_id: 'c', content } })
  expect(shown).toMatchObject({
    kind: 'result',
    result: { text: 'a chart\n[image]', images: [image] },
  })
})
