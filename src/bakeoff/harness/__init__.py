"""The programs that run agents, one folder each, behind one small protocol."""
