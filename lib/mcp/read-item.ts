// One text whole, of those that a session start shows the beginning of.

import * as z from 'zod'
import { readItem } from '../continuity/index.js'
import { tool } from './tool.js'

export const readItemTool = tool({
  name: 'read_item',
  title: 'Read one text whole',
  description: 'All of a text that session_start showed the beginning of.',
  isLook: true,
  input: z.object({
    id: z.string().min(1).max(4096).describe('Its id, as session_start gave it.'),
  }),

  async run({ id }, context) {
    const item = readItem(id, context.store)
    return { text: item.text, data: item }
  },
})
