"""Runs the chapters and renders what they print, draw and return."""
