// A card, a model and a training task in, memory and speed with their basis out: `training` of pipeline/advise/choose/catalogue.py.
// The chooser and the calculators share it. Names of fields are those of Python. No DOM.

import { fixed, gpuHours, parameters, required, shareStatement } from "./estimate.js";

const GIGA = 1e9, HOUR = 3600, REQUESTS_KEPT = 400;
const requests = new WeakMap();

/**
 * Train by `asked` {task, context, batch, optimizer} on `count` cards: {total, usable, rate, statement}; EstimateError when nothing can be said.
 * `words` holds shared_out_times.
 */
export function trained(card, model, count, asked, coefficients, words) {
  const t = coefficients.tables, { request, total, usable } = trainingMemory(card, model, count, asked, t);
  const spent = gpuHours(card, model, 1e9, request, coefficients);
  const wait = exchangeSeconds(card, model, request, t, words) / (asked.batch * asked.context * count);
  const together = (gpuHoursSpent) => 1 / ((gpuHoursSpent * HOUR) / 1e9 / count + wait);
  const rate = { median: together(spent.median), p10: together(spent.p90), p90: together(spent.p10) };
  return { total, usable, rate, statement: shareStatement(card, request, coefficients) };
}

/** What it needs and what the cards offer in GiB, the state shared out where it must be, and the request that says so. */
export function trainingMemory(card, model, count, asked, t) {
  const whole = requestOf(model, count, asked, 0, t);
  const share = count > 1 && (["train", "full"].includes(whole.task) || required(card, model, whole, t).fits === false);
  const request = share ? requestOf(model, count, asked, 3, t) : whole, { total, usable } = required(card, model, request, t);
  return { request, total, usable };
}

// The estimator's request, the same object for every card: what cards share is then counted once.
function requestOf(model, count, { task, context, batch, optimizer = "adam" }, zeroStage, t) {
  const name = [task, context, batch, count, zeroStage, optimizer].join(" ");
  let ofModel = requests.get(model);
  if (!ofModel || ofModel.size >= REQUESTS_KEPT) requests.set(model, (ofModel = new Map()));
  if (!ofModel.has(name)) {
    const what = { task, quant: "f16", engine: "llama.cpp", recompute: true, optimizer, master_weights: optimizer === "adam" };
    ofModel.set(name, { ...t.request, ...what, context, batch, gpus: count, zero_stage: zeroStage });
  }
  return ofModel.get(name);
}

// Seconds of one micro step in which GPUs wait for one another.
function exchangeSeconds(card, model, request, t, words) {
  if (request.gpus === 1 || request.zero_stage < 3) return 0;
  const link = card.link_gb_s || (t.speed.pcie_gb_s[fixed(card.pcie_gen || 3, 0)] ?? 32);
  const moved = (words.shared_out_times * 2 * parameters(model) * (request.gpus - 1)) / request.gpus;
  return moved / ((link / 2) * GIGA);
}
