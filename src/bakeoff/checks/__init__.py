"""The rules that judge a trial, one class each."""
